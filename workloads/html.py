"""Tables for notebooks: escaped, compact, and without colours of their own, so that they suit a dark theme.

Alignment stands in each cell, because viewers of notebooks on the web leave style sheets out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_RIGHT = ' style="text-align:right"'
_LEFT = ' style="text-align:left"'


def table(head: Sequence[object], rows: Iterable[Sequence[object]], keys: int = 1) -> str:
    """A table as HTML; the first `keys` columns say what a row is about and stand to the left.

    >>> "&lt;easy&gt;</th>" in table(["policy", "jobs"], [["<easy>", 3]])
    True
    """
    top = "".join(
        f'<th scope="col"{_side(at, keys)}>{escape(str(name))}</th>' for at, name in enumerate(head)
    )
    lines = "".join(f"<tr>{_cells(row, keys)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def _cells(row: Sequence[object], keys: int) -> str:
    cells = []
    for at, cell in enumerate(row):
        tag = 'th scope="row"' if at == 0 and keys else "td"
        cells.append(f"<{tag}{_side(at, keys)}>{escape(str(cell))}</{tag.split()[0]}>")
    return "".join(cells)


def _side(at: int, keys: int) -> str:
    return _LEFT if at < keys else _RIGHT
