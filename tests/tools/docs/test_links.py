"""Dead links of built pages are found, and links to files lead to their pages."""

from pathlib import Path

import pytest

from tools.docs.links import dead, main

PAGE = '<html><body><h1 id="top">A</h1><a href="{}">x</a></body></html>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text(PAGE.format("how to/b.html#top"), encoding="utf-8")
    (tmp_path / "how to").mkdir()
    (tmp_path / "how to" / "b.html").write_text(PAGE.format("../index.html"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "link", ["how%20to/b.html#top", "#top", "", "https://nowhere.example/x", "mailto:a@b.example", "how to/b.html"]
)
def test_links_that_lead_somewhere(site: Path, link: str) -> None:
    """Pages, places in them, this page, and whatever leaves the site are no dead links."""
    (site / "c.html").write_text(PAGE.format(link), encoding="utf-8")
    assert list(dead(site)) == []


@pytest.mark.parametrize("link", ["how%20to/c.html", "how%20to/b.html#bottom", "#bottom", "picture.png"])
def test_links_that_lead_nowhere(site: Path, link: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A page, a place or a file that is not there is named with the page that points to it."""
    (site / "c.html").write_text(PAGE.format(link), encoding="utf-8")
    assert list(dead(site)) == [f"c.html: {link}"]
    assert main(site) == 1
    assert capsys.readouterr().out == f"dead link in c.html: {link}\n"


def test_a_folder_without_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing was built, one sentence says so."""
    assert main(tmp_path) == 2
    assert "has no index.html: build the pages first, with make docs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("link", "page", "shown"),
    [
        ("../README.md", "docs/design", "index.md"),
        ("../scenarios", "docs/how-to/scenarios", "../scenarios/index.md"),
        ("../../benchmarks/README.md", "docs/how-to/search", "../benchmarks.md"),
        ("../tutorial.md", "docs/how-to/users", "../tutorial.md"),
    ],
)
def test_links_to_files_that_the_site_shows_elsewhere(link: str, page: str, shown: str) -> None:
    """A link to a file beside docs/ leads to its page, and others stay as they are."""
    extension = pytest.importorskip("tools.docs.extension", reason="part of the docs extra", exc_type=ImportError)
    assert extension.in_the_site(link, page) == shown
