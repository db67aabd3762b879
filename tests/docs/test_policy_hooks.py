"""The page of hooks has a table of every one, made from the class."""

from __future__ import annotations

import re

from thinktime.models.policies.base import ATTRIBUTES, HOOKS
from tools.docs.catalogues import hooks

from .pages import ROOT
from .test_pages import WRITTEN

PAGE = "docs/reference/hooks.md"
BEGIN, END = "<!-- made from the class Policy -->\n\n", "\n<!-- end of the table -->\n"


def test_the_table_of_hooks_is_that_of_the_class() -> None:
    """Every hook and attribute is on the page as the class documents it (THINKTIME_WRITE_DOCS writes it)."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    if PAGE in WRITTEN:
        (ROOT / PAGE).write_text(before + BEGIN + hooks() + END + after, encoding="utf-8")
        shown = hooks()
    assert shown == hooks()
    assert set(re.findall(r"^\| `(\w+)", shown, re.MULTILINE)) == {*HOOKS, *ATTRIBUTES}
