"""Tables of plain text under headings, to be laid out by whatever prints them."""

from typing import NamedTuple

NONE = "\N{EN DASH}"
"""Shown in place of a missing number."""


def cell(value: float, form: str = ".1f", unit: str = "") -> str:
    """A number in a format, with its unit; `NONE` for NaN.

    >>> cell(12.34, unit="%"), cell(float("nan"), unit="%")
    ('12.3%', '–')
    """
    return NONE if value != value else f"{value:{form}}{unit}"


class TableColumn(NamedTuple):
    """The heading of a column, which may have several lines, and the alignment of its cells."""

    heading: str
    number: bool = False
    """Numbers are aligned right, text left."""
    whole: bool = True
    """Whether cells stay on one line."""


class Table:
    """A table of text whose first column names the rows, with columns of ``numbers``; more may be added.

    The first column is not folded if ``whole``.

    A heading whose first line is empty shares that of the nearest heading to its left that has one.

    >>> waits = Table("Mean wait", "policy", "paper", "ours")
    >>> waits.row("easy", "12 s", "14 s")
    >>> [column.heading for column in waits.columns], waits.rows
    (['policy', 'paper', 'ours'], [('easy', '12 s', '14 s')])
    """

    def __init__(self, title: str, first: str = "", *numbers: str, whole: bool = False) -> None:
        self.title = title
        self.columns = [TableColumn(first, whole=whole)]
        self.rows: list[tuple[str, ...]] = []
        self.numbers(*numbers)

    def texts(self, *headings: str, whole: bool = True) -> None:
        """Add columns of text."""
        self.columns += [TableColumn(heading, whole=whole) for heading in headings]

    def numbers(self, *headings: str) -> None:
        """Add columns of numbers."""
        self.columns += [TableColumn(heading, number=True) for heading in headings]

    def row(self, *cells: str) -> None:
        """Add a row; missing cells at its end are empty."""
        self.rows.append(cells)
