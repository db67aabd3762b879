"""What the site makes of the code is whole."""

import re

import pytest

import thinktime as tt
from thinktime.analysis.studies.logs.study import read
from thinktime.models.machine import combinations
from thinktime.models.policies import ORDERS, catalogue
from thinktime.models.policies.base import ATTRIBUTES, HOOKS
from thinktime.models.site.slurm.settings_table import known
from thinktime.workloads.sacct.fields import FIELDS
from tools.docs import catalogues, commands, gallery
from tools.docs.public import pages

from .conftest import DOCS


def first_cells(table: str) -> list[str]:
    """What stands in the first column, without the head."""
    return [re.split(r" (?<!\\)\| ", line.removeprefix("| "))[0] for line in table.splitlines()[2:]]


def test_rules_names_and_orders_are_the_whole_catalogue() -> None:
    """Each policy of `thinktime policies` is in exactly one of the three tables."""
    tables = (catalogues.policies(), catalogues.named_policies(), catalogues.orders())
    shown = [cell.strip("`") for table in tables for cell in first_cells(table)]
    assert sorted(shown) == sorted([entry.name for entry in catalogue()] + ["relshare"])
    assert {cell.strip("`") for cell in first_cells(catalogues.orders())} == {*ORDERS}


def test_hooks_behaviours_and_metrics_are_there() -> None:
    """Hooks, behaviours and metrics are those of the code, each with what it means."""
    named = {re.split(r"\W", cell.strip("`"))[0] for cell in first_cells(catalogues.hooks())}
    assert named == {*HOOKS, *ATTRIBUTES}
    kinds = [each for each in vars(tt.behaviours).values() if isinstance(each, type) and issubclass(each, tt.Behaviour)]
    assert all(
        f"thinktime.behaviours.{kind.__name__}>" in catalogues.behaviours_of_users()
        for kind in kinds
        if kind != tt.Behaviour
    )
    assert not re.search(r"^\| `\w+` \|  \|", catalogues.metrics_of_a_run() + catalogues.columns(), re.MULTILINE)


def test_settings_and_combinations_are_whole() -> None:
    """Every setting of Slurm that an import knows has a row, and so has all that cannot be combined."""
    rows = [line for line in catalogues.slurm_settings().splitlines() if line.startswith("| `")]
    assert [line.split("`")[1] for line in rows] == [each.name for each in known()]
    assert len(first_cells(catalogues.combinations())) == len(combinations.rows())


def test_what_is_made_of_slurms_accounting_and_of_logs() -> None:
    """Each field has its place in text and in JSON, and each log that is kept has its row, with those of its years."""
    assert len(first_cells(catalogues.sacct_fields())) == len(FIELDS) and all(all(each) for each in FIELDS)
    waits, modes, fitted, verdicts = catalogues.logs_over_the_years().split("## ")[1:]
    for text in (waits, modes, fitted):
        cells = [cell for cell in first_cells(text.partition("\n\n")[2]) if cell.strip()]
        assert len(cells) == len(read().rows) and {*read().whole()} <= {*cells}
    assert "of fitted users 80 %" in verdicts


def test_every_command_has_its_options() -> None:
    """The page of commands has a section for each command, with each of its options."""
    text = commands.markdown()
    sections = dict(re.findall(r"^## thinktime ?(.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert [(option, path) for option, path in commands.options() if f"{option}" not in sections[path]] == []


def test_a_cell_does_not_break_its_row() -> None:
    """A vertical line in a cell is no end of the cell, and a table keeps its columns."""
    assert catalogues.table(("a", "b"), [("x|y", "two\nlines")]) == "| a | b |\n|---|---|\n| x\\|y | two lines |\n"


def test_every_picture_is_in_the_gallery() -> None:
    """Each picture of a page is in the gallery once, with the lines that drew it; none is named that is not shown."""
    shown = list(gallery.shown())
    assert {*gallery.DRAWN_BY} <= {each.file.stem for each in shown}
    pictures = [*(DOCS / "images").glob("*.png"), *(DOCS / "studies" / "images").glob("*.png")]
    assert sorted(each.file for each in shown) == sorted(pictures)
    assert [each.file.stem for each in shown if not each.lines] == []


def test_every_public_package_has_a_page() -> None:
    """Whatever has an ``__all__`` is asked for by a page of the reference, and only that."""
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference" / "api").glob("*.rst"))
    assert set(re.findall(r"^\.\. public:: (\S+)", text, re.MULTILINE)) == {*pages()}
    assert set(re.findall(r"^\.\. public:: thinktime (\w+)", text, re.MULTILINE)) == {
        "workloads", "models", "users", "analysis",
    }  # fmt: skip


def test_every_public_value_says_what_it_is() -> None:
    """The reference has a text for each: that below it, where it was written."""
    reference = pytest.importorskip("tools.docs.reference", reason="part of the docs extra", exc_type=ImportError)
    written = {package: reference.text(package) for package in pages()}
    assert "Round ticks of a logarithmic axis" in written["thinktime.analysis.pictures.style"]


def test_nothing_public_is_documented_twice() -> None:
    """A thing has one name in the reference, its shortest."""
    names = [public.name for page in pages().values() for public in page]
    assert len(names) == len({*names}) and {"thinktime.Machine", "thinktime.policies.Easy"} <= {*names}
    assert "thinktime.models.policies.Easy" not in names
