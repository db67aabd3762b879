"""Tables for notebooks: escaped, compact, and without colours, so that they work in a dark theme.

Alignment is set in each cell, because notebook viewers on the web drop style sheets.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

_SIDES = (Markup(' style="text-align:left"'), Markup(' style="text-align:right"'))


def table(head: Sequence[object], rows: Iterable[Sequence[object]], keys: int = 1) -> str:
    """A table as HTML; the first `keys` columns are row headers, aligned left.

    >>> "&lt;easy&gt;</th>" in table(["policy", "jobs"], [["<easy>", 3]])
    True
    """
    top = "".join(_cell("th", ' scope="col"', at, name, keys) for at, name in enumerate(head))
    lines = "".join(f"<tr>{_cells(row, keys)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return str(Markup("<p>{}</p>").format(text))


def _cells(row: Sequence[object], keys: int) -> str:
    tags = [("th", ' scope="row"') if at == 0 and keys else ("td", "") for at in range(len(row))]
    return "".join(_cell(*tag, at, cell, keys) for at, (tag, cell) in enumerate(zip(tags, row, strict=True)))


def _cell(tag: str, scope: str, at: int, content: object, keys: int) -> str:
    return str(Markup(f"<{tag}{scope}{{}}>{{}}</{tag}>").format(_SIDES[at >= keys], str(content)))
