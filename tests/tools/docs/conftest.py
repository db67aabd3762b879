"""Where the pages are."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
