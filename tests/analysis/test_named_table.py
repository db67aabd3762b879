"""The tables of studies: columns of texts and of numbers, and verdicts."""

from __future__ import annotations

from thinktime.analysis.named_table import Table
from thinktime.analysis.study.finding import Finding, verdicts
from thinktime.cli.layout import rich_table


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
