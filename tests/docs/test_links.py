"""Every relative link and picture of the pages leads somewhere, and every name in backticks exists."""

import pkgutil
import re
from collections.abc import Iterator
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


ROOMS = ("workloads", "models", "users", "analysis", "api")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
NAME = re.compile(r"`+(thinktime(?:\.\w+)+)")
FILE = re.compile(r"`((?:workloads|models|users|analysis|api|tests|benchmarks|docs)/[\w/.-]+\.(?:py|md|toml))`")


def _exists(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one; Python does not see all functions of compiled ones."""
    try:
        pkgutil.resolve_name(name)
    except ImportError:
        return False
    except AttributeError:
        module, _, function = name.rpartition(".")
        source = ROOT / module.replace("thinktime.", "").replace(".", "/")
        return source.with_suffix(".pxd").exists() and f"\ndef {function}(" in source.with_suffix(".py").read_text(
            "utf-8"
        )
    return True


def _mentions(pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    for path in (*(page for page in PAGES if page.name != "CHANGES.md"), *SOURCES):  # changes have former names
        yield from ((path.relative_to(ROOT), name) for name in pattern.findall(path.read_text("utf-8")))


def test_modules_exist() -> None:
    """A dotted name of the package in backticks, in a page or a docstring, can be imported."""
    assert [(str(path), name) for path, name in _mentions(NAME) if not _exists(name)] == []


def test_files_exist() -> None:
    """A file of the tree in backticks is there."""
    assert [(str(path), name) for path, name in _mentions(FILE) if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("name", ["thinktime.analysis.nothing", "thinktime.workloads.trace.Nothing"])
def test_what_is_not_there_is_seen(name: str) -> None:
    """A module or a class that does not exist is found out."""
    assert not _exists(name)
