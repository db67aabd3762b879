"""Errors as one sentence: what is wrong, where, and what would be right.

Typer's own errors are recognised by their method `format_message`, because their classes come from different packages
in different versions of Typer.
"""

import re
import zlib
from collections.abc import Iterable
from typing import Any

from thinktime.workloads.names import quoted, shortened

EXPECTED = (ValueError, OSError, EOFError, zlib.error)
"""Errors raised for wrong input. Any other is a bug in this package."""

NO_MEMORY = ("can't start new thread", "failed to map segment from shared object", "Cannot allocate memory")
"""Parts of messages that indicate a lack of memory."""


def sentence(error: BaseException) -> str | None:
    """The error in one sentence; None for an unexpected one."""
    if hasattr(error, "format_message"):
        return _one_line(_usage(error))
    if said := _short_of_memory(error):
        return said
    if not isinstance(error, EXPECTED) and isinstance(error.__cause__, EOFError):
        error = error.__cause__  # Typer hides it behind an Abort
    if isinstance(error, OSError) and error.strerror:
        reason = (error.strerror or "").lower()
        return _one_line(f"{shortened(error.filename)}: {reason}" if error.filename is not None else reason)
    if isinstance(error, EXPECTED):
        return _one_line(str(error) or type(error).__name__)
    return None


def choice(option: str, word: str, choices: Iterable[str]) -> str:
    """Return `word` if it is one of the choices, else raise ``ValueError``."""
    if word in (known := list(choices)):
        return word
    raise ValueError(f"{option} cannot be {quoted(word)}; {_instead(word, known, 'the choices')}")


def _instead(word: str, choices: Iterable[str], kind: str) -> str:
    from thinktime.workloads.names import key_of  # here, so that --help loads no part of the rooms

    return key_of(word, sorted(choices), kind, 3)


def _short_of_memory(error: BaseException) -> str | None:
    """The message for a lack of memory, whether raised by Python, for threads or when loading libraries."""
    each: BaseException | None = error
    while each is not None:
        text = str(each)
        if isinstance(each, MemoryError) or any(words in text for words in NO_MEMORY):
            return _one_line(f"there is not enough memory for this ({text})" if text else "there is not enough memory")
        each = each.__cause__ or each.__context__
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _usage(error: Any) -> str:
    message = str(error.format_message()).rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "thinktime"
    unknown = re.match(r"No such command '(.*?)'", message)
    if context and unknown:
        names = context.command.list_commands(context)
        return f"no command {quoted(unknown[1])}; {_instead(unknown[1], names, 'the commands')}"
    if context and getattr(error, "possibilities", None) is not None:
        return _no_such_option(error.option_name, path, context.command)
    message = re.sub(r"\S{60,}", lambda word: shortened(word[0], 40), message)
    return f"{shortened(message[0].lower() + message[1:])}; see '{path} --help'"


def _no_such_option(option: str, path: str, command: Any) -> str:
    names = [name for parameter in command.params for name in parameter.opts if name.startswith("-")]
    return f"{path} has no option {shortened(option, 40)}; {_instead(option, [*names, '--help'], 'its options')}"
