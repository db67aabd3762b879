"""Standard output for people: as wide as the terminal, and 100 columns where there is none."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH = 100


def stdout() -> Console:
    """A console for standard output. Texts are printed as they are: a policy may hold brackets."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(width=width, highlight=False, markup=False)
