"""Where the pages are."""

from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
