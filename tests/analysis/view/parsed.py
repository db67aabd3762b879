"""What is in a page, read as a browser reads it: its elements, and the arrays of its content."""

import json
from html.parser import HTMLParser
from typing import Any

import numpy as np

from thinktime.analysis.view.content import MISSING
from thinktime.analysis.view.packed import unpacked


class Elements(HTMLParser):
    """The texts of elements with an id, and all tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside: str | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and whether texts belong to it."""
        self.tags.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") or self._inside

    def handle_endtag(self, tag: str) -> None:
        """Texts behind a script belong to nothing."""
        if tag == "script":
            self._inside = None

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if self._inside is not None:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


def content_of(page: str) -> dict[str, Any]:
    """The content of a page."""
    texts = Elements(page).texts
    found: dict[str, Any] = unpacked(json.loads(texts["parts"])["content"], texts["columns"])
    return found


def times(column: np.typing.NDArray[Any]) -> np.typing.NDArray[np.float64]:
    """A column of times, of which some may be missing."""
    return np.where(column == MISSING, np.nan, column) if column.dtype == np.int32 else column
