"""Tables of plain text under headings, to be laid out by whatever prints them, and line breaking that cuts nothing off.

Text breaks at blanks, and policy names also after a colon or a comma. Only if no such place is left does it break at
another punctuation mark, or anywhere.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

NONE = "\N{EN DASH}"
"""Shown in place of a missing number."""


def cell(value: float, form: str = ".1f", unit: str = "") -> str:
    """A number in a format, with its unit; `NONE` for NaN.

    >>> cell(12.34, unit="%"), cell(float("nan"), unit="%")
    ('12.3%', '–')
    """
    return NONE if value != value else f"{value:{form}}{unit}"


def two_digits(factor: float) -> str:
    """A factor in two digits, such as 140."""
    return f"{float(f'{factor:.2g}'):,.0f}" if factor >= 10 else f"{factor:.2g}"


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


SOFT = (re.compile(r"(?<=[:,])(?!\d)|(?<=\D[:,])"), re.compile(r"(?<=[=+/_.-])"))
"""Where a word may be broken, but not within a number such as 1,250."""


_WORD = re.compile(r"(\s*)(\S+)")


def fold(text: str, width: int) -> str:
    r"""The text in lines of at most this width; a word longer than a line starts on a new one.

    >>> fold("easy:order=fairshare,half_life=7d waits", 18).split("\n")
    ['easy:', 'order=fairshare,', 'half_life=7d waits']
    """
    return "\n".join(line for each in text.split("\n") for line in _lines(each, width))


def breakable(word: str) -> list[str]:
    """The parts of a word between which it is preferably broken.

    >>> breakable("easy:order=fairshare,half_life=7d"), breakable("1,250")
    (['easy:', 'order=fairshare,', 'half_life=7d'], ['1,250'])
    """
    return [part for part in SOFT[0].split(word) if part]


def _lines(text: str, width: int) -> Iterator[str]:
    """Break one line of text; blanks at its beginning and within lines are kept."""
    line = ""
    for gap, word in _WORD.findall(text.rstrip()):
        if cell_len(line + gap + word) <= width:
            line += gap + word
            continue
        if line:
            yield line
            gap = ""
        *whole, line = _pieces(gap + word, width)
        yield from whole
    yield line


def _pieces(word: str, width: int, places: Sequence[re.Pattern[str]] = SOFT) -> list[str]:
    """A word in pieces of at most this width."""
    if cell_len(word) <= width:
        return [word]
    if not places:
        return [word[at : at + width] for at in range(0, len(word), width)]
    found = [""]
    for part in places[0].split(word):
        if cell_len(found[-1] + part) <= width:
            found[-1] += part
            continue
        found += _pieces(part, width, places[1:])
    return [each for each in found if each]
