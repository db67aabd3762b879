"""The options of a machine that changes: declared once, and given to a command as one argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from thinktime.cli import errors, options

Given = dict[str, Any]
"""What was given of these options, by their names: a table for `thinktime.models.changing.tables`."""

CHOICES = {
    "on_failure": ("requeue", "cancel"), "requeue_at": ("original", "now"), "repairs": ("unknown", "told"),
    "suspended_holds": ("memory", "all"), "strangers": ("refuse", "note"),
}  # fmt: skip

Text = str | None
OPTIONS: dict[str, Any] = {
    "events": Annotated[Text, options.option("EVENTS.csv", "Windows, outages and capacity of the machine.")],
    "failures": Annotated[
        Text, options.option("mtbf=T,mttr=T[,…]", "Random failures of processors, such as mtbf=30d,mttr=4h,shape=0.7.")
    ],
    "on_failure": Annotated[
        Text, options.option("requeue|cancel", "What happens to jobs on processors that fail.", shown="requeue")
    ],
    "requeue_at": Annotated[
        Text,
        options.option("original|now", "When interrupted jobs queue: by submission or interruption.", shown="original"),
    ],
    "requeue_delay": Annotated[
        Text, options.option("T", "How long interrupted jobs stay away from the queue, such as 2min.", shown="0")
    ],
    "max_restarts": Annotated[
        int | None, options.option("N", "Kill a job at one interruption more.", shown="no limit", min=0)
    ],
    "suspended_holds": Annotated[
        Text,
        options.option(
            "memory|all", "What suspended jobs keep: their memory, or their processors too.", shown="memory"
        ),
    ],
    "strangers": Annotated[
        Text,
        options.option("refuse|note", "What happens if windows name users or jobs that the log lacks.", shown="refuse"),
    ],
    "checkpoint": Annotated[
        Text, options.option("T[,cost=T][,restart=T]", "Jobs save their work after each T of it, such as 1h,cost=30s.")
    ],
    "repairs": Annotated[
        Text, options.option("unknown|told", "Whether policies know when outages end.", shown="unknown")
    ],
}


def changing(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options in place of its parameter ``changes``, to which they are passed as `Given`."""

    @wraps(command)
    def with_options(**words: Any) -> None:
        found = {name: words.pop(name) for name in OPTIONS}
        command(**words, changes=checked({name: value for name, value in found.items() if value is not None}))

    parameters: list[inspect.Parameter] = []
    for each in inspect.signature(command, eval_str=True).parameters.values():
        own = {each.name: each.annotation} if each.name != "changes" else OPTIONS
        default = each.default if each.name != "changes" else None
        parameters += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for name, kind in own.items()
        ]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    vars(with_options)["__signature__"] = inspect.Signature(parameters)
    return with_options


def checked(given: Given) -> Given:
    """The options, if each can be read; the file is read when the log is known. ``ValueError`` names the option."""
    for name, choices in CHOICES.items():
        if name in given:
            errors.choice(f"--{name.replace('_', '-')}", given[name], choices)
    for name in ("failures", "checkpoint", "requeue_delay"):
        if name in given:
            from thinktime.models.changing.tables import changes_of

            try:
                changes_of({name: given[name]})
            except ValueError as error:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option}: {str(error).removeprefix(f'{name}: ')}") from None
    return given
