"""Where a command writes is said in the same words everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from thinktime.cli.app import app


def commands(group: Any, name: str = "thinktime") -> Iterator[tuple[str, Any]]:
    """All commands with their names, those of groups included."""
    context = typer.Context(group)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{name} {each}")
        else:
            yield f"{name} {each}", command


def test_o_means_out_in_every_command() -> None:
    """Whatever has --out has -o, and -o means nothing else."""
    wrong, right = [], 0
    for name, command in commands(typer.main.get_command(app)):
        for option in command.params:
            if {"--out", "-o"} & set(option.opts):
                right += 1
                if set(option.opts) != {"--out", "-o"}:
                    wrong.append((name, option.opts))
    assert wrong == []
    assert right >= 20
