"""How many words the documentation has, against its limits: ``python -m tools.docs.words``.

Words are what is between blanks, as in ``wc -w``: code, output and tables count as well. Files that only include
others count as they are.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMITS = {"README.md": 1_200, "docs/design.md": 6_000, "docs": 70_000}
"""The most words that a page may have, or all pages in a folder together."""


def words(path: Path) -> int:
    """The words of a page, or of all pages in a folder."""
    pages = path.rglob("*.md") if path.is_dir() else [path]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def main(root: Path = ROOT) -> int:
    """Print the words of each part beside its limit; 1 if one has more."""
    counts = {name: words(root / name) for name in LIMITS}
    for name, count in counts.items():
        print(
            f"{name}: {count:,} words, at most {LIMITS[name]:,}", "" if count <= LIMITS[name] else ": too many", sep=""
        )
    return int(any(count > LIMITS[name] for name, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main())
