"""Fit tables into a given width without truncation: wide ones become blocks that repeat the first column.

Numbers are never broken; texts are folded by `thinktime.analysis.named_table`. Durations are written such as
`1h 23m`, fractions as percentages, and None as a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.table import Column, Table

from thinktime.workloads.units import counted as counted
from thinktime.workloads.units import in_two_units

if TYPE_CHECKING:
    from thinktime.analysis.named_table import Table as StudyTable

GAP = 2
"""Spaces between two columns."""
NARROW = 16
"""A column of texts is not folded below this width, unless its longest text is narrower."""
MOST = 3
"""A name without a colon or comma to break it at may take up to 1/3 of the width."""


def titled(title: str, first: str = "", *numbers: str) -> Table:
    """A table with a title, its first column and columns of numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    table.add_column(first)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def listing(title: str, rows: Iterable[tuple[str, str]], **first: Any) -> Table:
    """A table without headings: names, whose column has the options ``first``, and texts."""
    table = Table(box=None, pad_edge=False, show_header=False, title=title, title_justify="left")
    table.add_column(no_wrap=True, **first)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def rich_table(table: StudyTable) -> Table:
    """The table of a study, as `Output.print` takes it."""
    first, *others = table.columns
    shown = titled(table.title, first.heading)
    shown.columns[0].no_wrap = first.whole
    for each in others:
        shown.add_column(each.heading, justify="right" if each.number else "left", no_wrap=each.number or each.whole)
    for row in table.rows:
        shown.add_row(*row)
    return shown


def blocks(table: Table, width: int) -> list[Table]:
    """The table as few blocks at most `width` wide; a block is wider if its first two columns do not fit.

    Right-aligned columns are numbers; only their headings are folded. A heading with an empty first line belongs to
    the last heading before it with a non-empty one.
    """
    columns = [_Part.of(each, width) for each in table.columns]
    if not columns:
        return [table]
    for stage in (columns, [replace(each, least=each.folded) for each in columns]):
        if _needed(stage) <= width:
            return [_block(table, stage, width)]
    # The columns repeated in all blocks: the first one, and the texts after it if there is room.
    count = 1
    while count < len(stage) - 1 and stage[count].source.justify != "right":
        if _needed(stage[: count + 1]) > width // 2:
            break
        count += 1
    keys = stage[:count]
    rest = stage[len(keys) :]
    parts = [_titled(part, rest) for part in _split(keys, rest, width)]
    widths = [_widths([*keys, *part], width) for part in parts]
    same = [min(each[place] for each in widths) for place in range(len(keys))]
    keys = [replace(each, least=wide, most=wide) for each, wide in zip(keys, same, strict=True)]
    return [_block(table, [*keys, *part], width) for part in parts]


@dataclass(frozen=True, slots=True)
class _Part:
    """A column: its texts and the range of its width."""

    source: Column
    heading: str
    cells: list[str]
    least: int
    folded: int
    """The minimum width if its texts are folded although it is `no_wrap`."""
    most: int

    @classmethod
    def of(cls, column: Column, width: int) -> _Part:
        heading, cells = str(column.header), [str(each) for each in column.cells]
        most = max((_longest(each) for each in (heading, *cells)), default=0)
        if column.justify == "right":
            least = max(min(_atom(heading), width // MOST), *map(_longest, cells), 0)
            return cls(column, heading, cells, least, least, most)
        atom = min(max((_atom(each) for each in (heading, *cells)), default=0), width // MOST)
        folded = min(most, max(atom, NARROW))
        return cls(column, heading, cells, most if column.no_wrap else folded, folded, most)


def _longest(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def _atom(text: str) -> int:
    """The width of the longest unbreakable part."""
    from thinktime.analysis.named_table import breakable

    return max((cell_len(part) for word in text.split() for part in breakable(word)), default=0)


def _needed(parts: Sequence[_Part]) -> int:
    return sum(each.least for each in parts) + GAP * (len(parts) - 1)


def _split(keys: list[_Part], rest: list[_Part], width: int) -> list[list[_Part]]:
    """The other columns, divided evenly into blocks that fit beside the keys."""
    found = _filled(keys, rest, width, len(rest))
    even = _filled(keys, rest, width, -(-len(rest) // len(found)))
    return even if len(even) == len(found) else found


def _filled(keys: list[_Part], rest: list[_Part], width: int, most: int) -> list[list[_Part]]:
    found: list[list[_Part]] = [[]]
    for each in rest:
        here = found[-1]
        if here and (len(here) == most or _needed([*keys, *here, each]) > width):
            found.append(here := [])
        here.append(each)
    return found


def _titled(part: list[_Part], rest: list[_Part]) -> list[_Part]:
    """The columns of a block, with the heading that the first of them belongs to."""
    head, *others = part
    if not head.heading.startswith("\n"):
        return part
    place = next(at for at, each in enumerate(rest) if each is head)
    above = next((each.heading for each in rest[place::-1] if not each.heading.startswith("\n")), "")
    heading = above.split("\n")[0] + head.heading
    least = max(head.least, _atom(above.split("\n")[0]))
    most = max(head.most, _longest(heading))
    return [replace(head, heading=heading, least=least, most=most), *others]


def _widths(parts: Sequence[_Part], width: int) -> list[int]:
    """The widths of columns: as wanted if there is room, else the widest shrink first."""
    room = width - GAP * (len(parts) - 1)
    level = max((each.most for each in parts), default=0)
    while True:
        widths = [min(each.most, max(each.least, level)) for each in parts]
        if sum(widths) <= room or level == 0:
            break
        level -= 1
    for at, each in enumerate(parts):
        widths[at] += min(each.most - widths[at], max(room - sum(widths), 0))
    return widths


def _block(table: Table, parts: Sequence[_Part], width: int) -> Table:
    from thinktime.analysis.named_table import fold

    widths = _widths(parts, width)
    total = sum(widths) + GAP * (len(parts) - 1)
    block = Table(box=None, pad_edge=False, header_style=table.header_style, show_header=table.show_header, width=total)
    headings = [fold(each.heading, wide) for each, wide in zip(parts, widths, strict=True)]
    tallest = max(each.count("\n") for each in headings)
    for each, wide, heading in zip(parts, widths, headings, strict=True):
        right = each.source.justify == "right"
        above = "\n" * (tallest - heading.count("\n")) if right else ""
        block.add_column(above + heading, justify=each.source.justify, no_wrap=True, width=wide)
    for row in zip(*(each.cells for each in parts), strict=True):
        block.add_row(*(fold(cell, wide) for cell, wide in zip(row, widths, strict=True)))
    return block


NONE = "–"


def duration(seconds: float | None) -> str:
    """A duration in its two largest units.

    >>> duration(5_000), duration(None)
    ('1h 23m', '–')
    """
    return NONE if seconds is None else in_two_units(seconds)


def percentage(fraction: float | None) -> str:
    """A fraction as a percentage with one decimal.

    >>> percentage(0.7684), percentage(None)
    ('76.8%', '–')
    """
    return NONE if fraction is None else f"{100 * fraction:.1f}%"


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands separators.

    >>> number(122057), number(1234.567, 1)
    ('122,057', '1,234.6')
    """
    return NONE if value is None else f"{value:,.{digits}f}"
