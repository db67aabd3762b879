"""Standard output: for people as wide as the terminal, 100 columns where there is none; for programs JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console

WIDTH = 100


def stdout() -> Console:
    """A console for standard output. Texts are printed as they are: a policy may hold brackets."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(width=width, highlight=False, markup=False)


def json_text(values: Any) -> str:
    """The one JSON object that `--json` prints and that files hold, without a line break at its end."""
    return json.dumps(values, allow_nan=False, indent=2)
