"""Pages keep their links when the site shows their files elsewhere."""

from __future__ import annotations

import pytest


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
