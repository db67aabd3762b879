"""The glossary has every name that people meet, and each name stands in it once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from thinktime.analysis.experiments.metrics import CATALOGUES
from thinktime.analysis.modes.user_measures import MODES
from thinktime.workloads.names import FORMER
from tools.docs.catalogues import column_tables, terms_of_metrics
from tools.docs.commands import options
from tools.docs.glossary import PAGE, known, parts, rows, terms
from tools.docs.json_keys import keys, objects

_, FORMER_NAMES, OPTIONS = parts()
NO_ROW = "docs/glossary.md needs a row for each of these names"


def names() -> list[str]:
    """All names of the terms."""
    return [name for term in terms() for name in term.names]


def test_every_option_is_there_with_its_commands() -> None:
    """Every option has a row with exactly the commands that take it; "all studies" are those but for a "not"."""
    studies = {f"`{path}`" for _, path in options() if path.startswith("study ")}
    listed = set()
    for option, commands, *_ in rows(OPTIONS):
        words = set(commands.strip(" |").split(", "))
        without = {word.removeprefix("not ") for word in words if word.startswith("not ")}
        taken = {word for word in words if not word.startswith("not ")}
        if "all studies" in taken:
            taken = taken - {"all studies"} | studies - without
        listed |= {(option.strip("| `"), word) for word in taken}
    assert listed == {(option, f"`{path}`" if path else "all") for option, path in options()}


def test_a_name_stands_for_one_thing() -> None:
    """No name stands in two rows of terms, and no option has two rows."""
    assert [name for name, count in Counter(names()).items() if count > 1] == []
    assert max(Counter(cells[0] for cells in rows(OPTIONS)).values()) == 1


def test_every_column_is_there() -> None:
    """Every column of logs, results and tables is in the glossary."""
    columns = [name for table in column_tables().values() for name in table]
    assert [name for name in columns if not known(name)] == [], NO_ROW


def test_every_metric_is_there() -> None:
    """The glossary asks for the rows of metrics, and each has one."""
    assert "```{catalogue} terms of metrics\n" in PAGE.read_text(encoding="utf-8")
    table = terms_of_metrics()
    every = [each.name for catalogue in (*CATALOGUES, MODES) for each in catalogue]
    assert [name for name in every if not known(name) or f"`{name}`" not in table] == []


@pytest.mark.compiled
def test_every_key_of_the_json_objects_is_there(tmp_path: Path) -> None:
    """Every key that the package chose for JSON objects is in the glossary."""
    found = [key for _, value in objects(tmp_path) for key in keys(value)]
    assert " ".join(name for name in dict.fromkeys(found) if not known(name)) == "", NO_ROW


def test_former_names_are_listed() -> None:
    """Every former name that is answered with a new one is listed."""
    assert [name for name in FORMER if name.replace("_", " ") not in FORMER_NAMES and name not in FORMER_NAMES] == []
