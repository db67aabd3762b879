"""What is told of something that was found, and its tables."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from thinktime.analysis.named_table import Table
from thinktime.analysis.report import Report
from thinktime.analysis.study.finding import Finding, verdicts
from thinktime.cli.console import tell
from thinktime.cli.layout import rich_table


def waits() -> Table:
    shown = Table("Mean wait", "policy", "s")
    shown.row("easy", "12")
    return shown


def test_files_go_into_folders_without_the_signs_of_a_policy(tmp_path: Path) -> None:
    """A name with a slash is a file in a folder, and a policy's signs become dashes."""
    frames = {"easy:order=sjf/users": pd.DataFrame({"user": [1]})}
    found = Report(tuple, lambda: {"a": None}, lambda: frames, lambda: {"figure-1": Figure()})
    found.write(tmp_path, "study", ["png", "pdf"])
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert written == {"easy-order-sjf/users.csv", "figure-1.png", "figure-1.pdf", "study.json"}
    assert (tmp_path / "study.json").read_text() == '{\n  "a": null\n}\n'


def test_a_report_is_told_as_a_page_or_as_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    """Tables and lines in their order, or the object alone; what is not asked for is not made."""
    tell(Report(lambda: [waits(), "", "A line."], lambda: pytest.fail("not asked for")), as_json=False)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "Mean wait", "policy   s", "easy    12", "", "A line.",
    ]  # fmt: skip
    tell(Report(lambda: pytest.fail("not asked for"), lambda: {"wait": 12.0}), as_json=True)
    assert capsys.readouterr().out == '{\n  "wait": 12.0\n}\n'


def test_numbers_stand_at_the_right_and_are_never_folded() -> None:
    """The first column may be folded unless it is said to be whole; texts are not, unless they may be."""
    table = Table("Waits", "policy")
    table.texts("source")
    table.texts("note", whole=False)
    table.numbers("mean", "\n95 %")
    table.row("easy", "log", "", "1", "2")
    laid = rich_table(table)
    assert [column.justify for column in laid.columns] == ["left", "left", "left", "right", "right"]
    assert [column.no_wrap for column in laid.columns] == [False, True, False, True, True]
    assert (laid.title, [list(column.cells) for column in laid.columns][3]) == ("Waits", ["1"])
    assert rich_table(Table("Waits", "policy", whole=True)).columns[0].no_wrap


def test_verdicts_have_a_row_per_finding() -> None:
    """What is said, the verdict, our numbers and the criterion, in this order."""
    table = verdicts([Finding("A beats B", "A < B", "3 / 4", True), Finding("B is last", "B", "?", None)])
    assert table.rows == [("A beats B", "seen", "3 / 4", "A < B"), ("B is last", "undecided", "?", "B")]
