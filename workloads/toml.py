"""Plain values as TOML, which `tomllib` reads back as they were."""

import json
from collections.abc import Mapping
from typing import Any


def as_toml(value: Any) -> str:
    """A plain value in TOML, on one line.

    >>> as_toml({"load": [0.5, 1], "cycle": "daily", "whole": True})
    '{ "load" = [0.5, 1], "cycle" = "daily", "whole" = true }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{as_toml(key)} = {as_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)
