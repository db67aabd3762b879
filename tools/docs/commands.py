"""The command line as it is: commands, their arguments and options, out of the program itself."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from thinktime.cli.app import app


def commands() -> Iterator[tuple[str, Any]]:
    """Every command and group with its words ("" for the program), each before its own commands."""

    def of(command: Any, path: str) -> Iterator[tuple[str, Any]]:
        yield path, command
        context = typer.Context(command)
        for name in command.list_commands(context) if hasattr(command, "list_commands") else ():
            yield from of(command.get_command(context, name), f"{path} {name}".strip())

    yield from of(typer.main.get_command(app), "")


def options() -> Iterator[tuple[str, str]]:
    """Every option with its command."""
    for path, command in commands():
        for parameter in command.params:
            yield from ((word, path) for word in parameter.opts if word.startswith("--") and word != "--help")


def markdown() -> str:
    """A section for every command: its usage, its help, its arguments and options."""
    return "\n".join(line for path, command in commands() for line in _section(path, command))


def _section(path: str, command: Any) -> Iterator[str]:
    context = typer.Context(command, info_name=f"thinktime {path}".strip())
    yield f"## {context.info_name}\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    yield f"{_as_it_stands(command.help or '')}\n"
    rows = [_row(each) for each in command.params if "--help" not in each.opts and not each.hidden]
    yield from ("| argument or option | meaning | default |", "|---|---|---|", *rows, "") if rows else ()


def _row(parameter: Any) -> str:
    metavar = parameter.metavar or ("" if parameter.opts[0].startswith("-") else parameter.name.upper())
    words = (", ".join(parameter.opts), metavar) if parameter.opts[0].startswith("-") else (metavar,)
    cells = (f"`{' '.join(words).strip()}`", _as_it_stands(parameter.help or ""), _as_it_stands(_default(parameter)))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _default(parameter: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.required:
        return "required"
    return "" if parameter.default in (None, False, [], ()) or callable(parameter.default) else str(parameter.default)


def _as_it_stands(text: str) -> str:
    """Help as Markdown, in which nothing is markup."""
    return re.sub(r"([*<\[_])", r"\\\1", text.replace("\b\n", "")).strip()
