"""Every page of the documentation does what it says.

README.md and the pages beside it, and docs/**/*.md are run from top to bottom, each in an empty folder and with one
namespace:

* a block of `python` runs; a block of `text` right below it (with nothing but blank lines between) is exactly
  what it prints, and a block that prints has such a block below it;
* a block of `console` is a session: the lines after `$ thinktime …` are exactly what the command writes to
  standard output, or, if it fails, to standard error;
* a line "…" in what is printed stands for lines that the page leaves out;
* a block, of whatever language, whose first line is a comment with a file name (`# my_policies.py`,
  `; small.swf`) is saved under that name first;
* `<!-- not run: REASON -->` on the line above a block leaves it out, `<!-- needs: LOG -->` leaves it out where
  that log of the archive is not at hand: neither in the folder $THINKTIME_TRACES nor, without that, among
  those that `thinktime trace get` has fetched; `<!-- at length: REASON -->` leaves it out but in a thorough run;
* everything else (`text` elsewhere, `bash`, …) is only shown.

Spaces at the ends of lines do not count. With THINKTIME_WRITE_DOCS=docs/tutorial.md (several with commas) what
was printed is written into these pages instead of compared. Pages that are not named are never written.
"""

import os
from pathlib import Path
from typing import Any

import pooch
import pytest

from .pages import PAGES, ROOT, Claim, claims, tidy, with_cuts

LOGS = Path(os.environ.get("THINKTIME_TRACES") or pooch.os_cache("thinktime"))
WRITTEN = os.environ.get("THINKTIME_WRITE_DOCS", "").split(",")


COMPILED = (
    "README.md", "docs/how-to/behaviours.md", "docs/how-to/generate-workloads.md", "docs/how-to/ostrich.md",
    "docs/how-to/replay-a-log.md", "docs/how-to/scenarios.md", "docs/how-to/users.md",
    "docs/tutorial.md",
)  # fmt: skip
"""Pages that take long as plain Python."""


COMPILED_AT_LENGTH = ("docs/how-to/learn.md",)
"""Pages that take long only with what is for a thorough run."""

LONG = [page for page in PAGES if "\n<!-- at length:" in page.read_text(encoding="utf-8")]


def named(page: Path, at_length: bool = False) -> Any:
    """A page as a parameter, with the blocks that are for a thorough run or without."""
    name = page.relative_to(ROOT).as_posix()
    compiled = name in COMPILED or (at_length and name in COMPILED_AT_LENGTH)
    marks = [pytest.mark.compiled] * compiled + [pytest.mark.thorough] * at_length
    return pytest.param(page, at_length, id=name + " at length" * at_length, marks=marks)


@pytest.mark.parametrize(("page", "at_length"), [*map(named, PAGES), *(named(page, at_length=True) for page in LONG)])
def test_page(page: Path, at_length: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of a page runs and prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    written = page.relative_to(ROOT).as_posix() in WRITTEN
    found = list(claims(page, LOGS, at_length or written))
    if written:
        rewrite(page, found)
    for claim in found:
        assert with_cuts(claim.printed, claim.claimed) == tidy(claim.claimed)


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        ("a\nb\nc\nd", "a\nb\nc\nd"), ("", "a\nb\nc\nd"), ("a\n…\nd", "a\n…\nd"), ("a\nb\n…", "a\nb\n…"),
        ("…\nd", "a\nb\nc\nd"), ("a\nb", "a\nb\nc\nd"), ("a\n…\nc\n…\nd", "a\n…\nc\n…\nd"), ("b\n…\nd", "a\nb\nc\nd"),
        ("a\n…\nc", "a\nb\nc\nd"), ("a\n…\nc\nb\n…\nd", "a\nb\nc\nd"), ("a\n…\nx\n…\nd", "a\nb\nc\nd"),
    ],
)  # fmt: skip
def test_what_a_page_leaves_out(claimed: str, said: str) -> None:
    """Lines may be left out after the first, and all others stand in their order."""
    assert with_cuts("a\nb\nc\nd", claimed) == f"{said}\n"


def rewrite(page: Path, found: list[Claim]) -> None:
    """Put what was printed into a page, from its end to its beginning."""
    source = page.read_text(encoding="utf-8")
    for claim in reversed(found):
        text = with_cuts(claim.printed, claim.claimed)
        if text != tidy(claim.claimed):
            text = f"\n\n```text\n{text}```" if claim.claimed is None else text
            source = source[: claim.start] + text + source[claim.end :]
    page.write_text(source, encoding="utf-8")
    pytest.skip("written, not compared")
