"""`thinktime demo`: twelve users on one machine for a month, under three policies with the same luck."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pictures.")] = Path("demo-output"),
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Simulate twelve users in the loop under three policies, and say what the numbers show."""
    raise NotImplementedError
