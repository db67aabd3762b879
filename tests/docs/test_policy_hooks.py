"""The page on policies of one's own has a table of every hook, made from the class."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

from thinktime.models.policies.base import ATTRIBUTES, HOOKS, Policy

from .pages import ROOT
from .test_pages import WRITTEN

PAGE = "docs/how-to/own-policy.md"
BEGIN, END = "<!-- made from the class Policy -->\n\n", "\n<!-- end of the table -->\n"


def documented() -> Iterator[tuple[str, str]]:
    """What is in the class `Policy`, in its order: a name with its arguments or its value, and what is said of it."""
    body = ast.parse(inspect.getsource(Policy)).body[0].body  # type: ignore[attr-defined]
    for item, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(item, ast.FunctionDef):
            arguments = ", ".join(each.arg for each in item.args.args[1:])
            yield f"{item.name}({arguments})", ast.get_docstring(item) or ""
        elif isinstance(item, ast.Assign | ast.AnnAssign):
            assert isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            target = item.target if isinstance(item, ast.AnnAssign) else item.targets[0]
            yield f"{ast.unparse(target)} = {ast.unparse(item.value or target)}", str(following.value.value)


def table() -> str:
    """The table as Markdown; attributes come after the hooks."""
    hooks = sorted(documented(), key=lambda row: "(" not in row[0])
    rows = [f"| `{name}` | {' '.join(text.split()).replace('``', '`')} |" for name, text in hooks]
    return "\n".join(["| hook, or attribute | when it is called, and what it says |", "|---|---|", *rows]) + "\n"


def test_the_table_of_hooks_is_that_of_the_class() -> None:
    """Every hook and attribute is on the page as the class documents it (THINKTIME_WRITE_DOCS writes it)."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    if PAGE in WRITTEN:
        (ROOT / PAGE).write_text(before + BEGIN + table() + END + after, encoding="utf-8")
        shown = table()
    assert shown == table()
    assert {name.partition("(")[0].partition(" ")[0] for name, _ in documented()} == {*HOOKS, *ATTRIBUTES}
