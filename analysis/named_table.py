"""Tables of plain texts in rows, under headings; whoever prints them lays them out."""

from __future__ import annotations

from typing import NamedTuple

NONE = "\N{EN DASH}"
"""What stands where there is no number."""


class TableColumn(NamedTuple):
    """The heading of a column, which may have several lines, and how its cells stand."""

    heading: str
    number: bool = False
    """Numbers stand at the right, texts at the left."""
    whole: bool = True
    """Whether cells stay in one line."""


class Table:
    """A table of texts, with a first column that names the rows; it is not folded if ``whole``.

    A heading whose first line is empty belongs under the nearest one before it that has a first line.

    >>> waits = Table("Mean wait", "policy")
    >>> waits.numbers("paper", "ours")
    >>> waits.row("easy", "12 s", "14 s")
    >>> [column.heading for column in waits.columns], waits.rows
    (['policy', 'paper', 'ours'], [('easy', '12 s', '14 s')])
    """

    def __init__(self, title: str, first: str = "", *, whole: bool = False) -> None:
        self.title = title
        self.columns = [TableColumn(first, whole=whole)]
        self.rows: list[tuple[str, ...]] = []

    def texts(self, *headings: str, whole: bool = True) -> None:
        """Add columns of texts."""
        self.columns += [TableColumn(heading, whole=whole) for heading in headings]

    def numbers(self, *headings: str) -> None:
        """Add columns of numbers."""
        self.columns += [TableColumn(heading, number=True) for heading in headings]

    def row(self, *cells: str) -> None:
        """Add a row; missing cells at its end are empty."""
        self.rows.append(cells)
