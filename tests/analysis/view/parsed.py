"""What is in a page, read as a browser reads it: its elements, and the arrays of its content."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np

from thinktime.analysis.view.content import MISSING


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
    document = json.loads(Elements(page).texts["document"])
    tags = next(root["attributes"]["tags"] for root in document["roots"] if root["attributes"]["name"] == "use")
    found: dict[str, Any] = _plain(tags[0])
    return found


def times(column: np.typing.NDArray[Any]) -> np.typing.NDArray[np.float64]:
    """A column of times, of which some may be missing."""
    return np.where(column == MISSING, np.nan, column) if column.dtype == np.int32 else column


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "ndarray":
        data = base64.b64decode(value["array"]["data"])
        raw = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        return np.frombuffer(raw, value["dtype"])
    if value.get("type") == "number":
        return float(value["value"])
    entries = value.get("entries", []) if value.get("type") == "map" else value.items()
    return {key: _plain(each) for key, each in entries}
