"""Tables and pages for notebooks. Tables are escaped, compact, and without colours, so that they work in a dark theme.

Alignment is set in each cell, because notebook viewers on the web drop style sheets.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.names import quoted

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


@dataclass(frozen=True, slots=True)
class Page:
    """A self-contained page as a value: a notebook shows it in a frame, and `write` makes a file of it."""

    html: str

    def write(self, path: str | Path) -> Path:
        """Write the page, whole or not at all, and return the path; its name ends with .html."""
        target = Path(path)
        if target.suffix not in (".html", ".htm"):
            raise ValueError(f"the name of a page must end with .html, not {quoted(target.name)}")
        with whole_or_nothing(target) as aside:
            aside.write_text(self.html, encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        frame = Markup('<iframe srcdoc="{}" title="{}" style="width:100%;height:{}px;border:0"></iframe>')
        return str(frame.format(self.html, "thinktime view", _FRAME))

    def __repr__(self) -> str:
        return f"<page of {len(self.html):,} characters>"


_FRAME = 900
"""The height of a page in a notebook (CSS pixels)."""
