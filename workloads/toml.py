"""Plain values as TOML, which `tomllib` reads back as they were."""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(value: Any, bare: bool = False) -> str:
    """A plain value in TOML, on one line; with ``bare``, keys are quoted only where they must be.

    >>> as_toml({"load": [0.5, 1], "cycle": "daily", "whole": True})
    '{ "load" = [0.5, 1], "cycle" = "daily", "whole" = true }'
    >>> as_toml({"load": [0.5, 1], "gres/gpu": 2}, bare=True)
    '{ load = [0.5, 1], "gres/gpu" = 2 }'
    """
    if isinstance(value, Mapping):
        pairs = (f"{_key(key, bare)} = {as_toml(each, bare)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(as_toml(each, bare) for each in value) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _key(key: str, bare: bool) -> str:
    return key if bare and _BARE.fullmatch(key) else as_toml(key)
