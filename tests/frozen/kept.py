"""The digests that are kept, in frozen.json beside this file."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("frozen.json")


def kept() -> dict[str, Any]:
    """Digests by machine, source and policy."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found
