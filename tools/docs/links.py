"""No link of the built pages is dead: ``python -m tools.docs.links build/site/html``.

Links to files and to places in pages are looked up; those that leave the site are not, since a build has no network.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(slots=True)
class Page:
    """What a page points to, and the places in it that others may point to."""

    links: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.page.places.add(value)
            elif name in ("href", "src") and value and tag != "base":
                self.page.links.append(value)


def read(path: Path) -> Page:
    """The links and the places of a page."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def dead(site: Path) -> Iterator[str]:
    """Every link of the pages of a folder that leads nowhere, with its page."""
    pages = {path.resolve(): read(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            if not _leads_somewhere(link, path, pages):
                yield f"{path.relative_to(site.resolve())}: {link}"


def _leads_somewhere(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    there = target in pages
    return (target.is_file() and not parts.fragment) or (there and _has(pages[target], unquote(parts.fragment)))


def _has(page: Page, fragment: str) -> bool:
    return not fragment or fragment in page.places


def main(site: Path) -> int:
    """Print the dead links; the status of the command."""
    if not (site / "index.html").is_file():
        print(f"{site} has no index.html: build the pages first, with make docs", file=sys.stderr)
        return 2
    found = list(dead(site))
    print("\n".join(f"dead link in {each}" for each in found) or f"{site}: no dead link")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
