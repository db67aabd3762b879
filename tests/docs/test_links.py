"""Every relative link and picture of the documentation leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from .pages import PAGES, ROOT

_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z]+:")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    """A relative link leads to a file of the tree, and to a heading in it where it names one."""
    missing = [link for link in links(page) if not leads_somewhere(page, link)]
    assert not missing


def test_the_pictures_are_small() -> None:
    """No picture is larger than 150 KB."""
    large = [path.name for path in (ROOT / "docs" / "images").iterdir() if path.stat().st_size > 150_000]
    assert not large


def test_every_picture_is_shown() -> None:
    """Every picture is shown on some page."""
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert set((ROOT / "docs" / "images").iterdir()) <= shown


def links(page: Path) -> list[str]:
    """The relative links of a page, code left out."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if not _ELSEWHERE.match(link)]


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = unquote(link).partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or anchor in anchors(target)


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub turns them into anchors."""
    headings = _HEADING.findall(_CODE_BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
