"""Options that several commands have, each declared once.

Options that belong together are a data class: `spread` gives a command an option for each field of it, and the command
the object.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from thinktime.cli import errors
from thinktime.cli.inputs import DELIMITATION_HELP, DELIMITATIONS, ESTIMATES_HELP, WITHDRAWN
from thinktime.workloads.units import seconds


def option(metavar: str, help: str, *names: str, shown: bool | str = True, **more: Any) -> Any:
    """An option with a value, for `Annotated`; ``shown`` is the default in words."""
    return typer.Option(*names, metavar=metavar, help=help, show_default=shown, **more)


def output(metavar: str, help: str, **more: Any) -> Any:
    """Where a command writes: ``--out``, or ``-o``, in every command."""
    return option(metavar, help, "--out", "-o", **more)


def time(metavar: str, help: str, name: str, shown: bool | str = True) -> Any:
    """An option with a time: a number of seconds, or a text such as "20 min"."""

    def read(text: str | float) -> float:
        try:
            return seconds(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return option(metavar, help, name, shown=shown, parser=read)


def flag(name: str, help: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help)


def argument(metavar: str, help: str, shown: bool | str = True) -> Any:
    """An argument of a command, for `Annotated`; ``shown`` is the default in words."""
    return typer.Argument(metavar=metavar, help=help, show_default=shown)


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for each field of its parameters that are data classes, in their place.

    A field may be such a data class again.
    """
    given = inspect.signature(command, eval_str=True).parameters
    values = {name: each.annotation for name, each in given.items() if is_dataclass(each.annotation)}
    parameters: list[inspect.Parameter] = []
    for name, each in given.items():
        parameters += _options(values[name]) if name in values else [each.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    @wraps(command)
    def with_options(**words: Any) -> None:
        made = {name: _made(kind, words) for name, kind in values.items()}
        command(**made, **words)

    with_options.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    vars(with_options)["__signature__"] = inspect.Signature(parameters)
    return with_options


def _options(kind: Any) -> Iterator[inspect.Parameter]:
    kinds = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        if is_dataclass(kinds[each.name]):
            yield from _options(kinds[each.name])
        else:
            usual = inspect.Parameter.empty if each.default is MISSING else each.default
            yield inspect.Parameter(
                each.name, inspect.Parameter.KEYWORD_ONLY, default=usual, annotation=kinds[each.name]
            )


def _made(kind: Any, words: dict[str, Any]) -> Any:
    """The value of these options, which are taken out of the words."""
    kinds = get_type_hints(kind)
    names = [each.name for each in fields(kind)]
    return kind(**{name: _made(kinds[name], words) if is_dataclass(kinds[name]) else words.pop(name) for name in names})


def show_help(context: typer.Context) -> None:
    """Show the help of a group of commands if none of them is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


DEFAULT_POLICIES = ("fcfs", "easy", "conservative")
OVERRUNS = ("kill", "extend", "until_needed")

Processors = Annotated[str | None, option("N", "Size of the machine.", shown="from the log's header")]
Machines = Annotated[str | None, option("FILE", "The nodes, in Alea's .machines format.")]
Site = Annotated[str | None, option("FILE", "A site's configuration (site.toml): its nodes, accounts and priorities.")]
Names = Annotated[
    str | None, option("FILE", "The names behind the log's numbers, with --site.", shown="LOG.names.csv, if it exists")
]
Policies = Annotated[
    list[str] | None,
    option(
        "SPEC",
        "RULE[:key=value,…] or FILE.py:NAME; repeat it to compare. See 'thinktime policies'.",
        shown=f"{', '.join(DEFAULT_POLICIES)}; with --site, site (its own scheduler)",
    ),
]
Overrun = Annotated[str, option("|".join(OVERRUNS), "What happens to a job that outlives its estimate.")]
Since = Annotated[
    str | None, option("T", "Only jobs submitted at T (s, '3 d', or a date in the log's zone) or later.", "--from")
]
Until = Annotated[str | None, option("T", "Only jobs submitted before T.", "--to")]
MeasureFrom = Annotated[
    str | None, option("T", "Measure from T on (s, or a date): jobs submitted, time of the machine.", "--measure-from")
]
MeasureTo = Annotated[str | None, option("T", "Measure only before T.", "--measure-to")]
Withdrawn = Annotated[
    str,
    option(
        "|".join(WITHDRAWN),
        "Jobs cancelled before they ran: left out, or in the queue for as long as recorded, and run if they start.",
    ),
]
Shapes = Annotated[
    str | None,
    option(
        "KEY=VALUE,…|FILE.csv",
        "Jobs that may have several sizes, such as share=0.2,least=0.5,most=2,speedup=amdahl(0.05).",
        shown="all are rigid",
    ),
]
Estimates = Annotated[str, option("KIND", ESTIMATES_HELP)]
Delimitation = Annotated[str, option("|".join(DELIMITATIONS), DELIMITATION_HELP)]
Threshold = Annotated[
    float | None,
    time(
        "TIME", "The gap that ends a session (s, or such as '20 min').", "--threshold", "1 h with arrival, else 20 min"
    ),
]
MaxSize = Annotated[
    str | None,
    option(
        "SIZE", "Limit for the size of a decompressed log, such as '4 gb'.", shown="200 times its size, at least 1 gb"
    ),
]
"""The option of every command that reads a log."""
Shake = Annotated[
    str | None, option("N", "Replay N copies of the log with times moved by up to 1 %: the chaos floor.", shown="none")
]
Respond = Annotated[
    str | None,
    option(
        "FILE.toml",
        "Users of the log respond as their jobs are due: delay, change or renounce them, by its [behaviours].",
        shown="nobody does",
    ),
]
Json = Annotated[bool, flag("--json", "Print one JSON object instead of tables.")]
Quiet = Annotated[bool, flag("--quiet", "Do not show progress.")]


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """What is read of a log."""

    machines: Machines = None
    names: Names = None
    since: Since = None
    until: Until = None
    overrun: Overrun = "kill"
    max_size: MaxSize = None


@dataclass(frozen=True, kw_only=True)
class Log(Jobs):
    """The same, and the machine that it is run on."""

    processors: Processors = None
    site: Site = None
    estimates: Estimates = "requested"
    withdrawn: Withdrawn = "drop"
    shapes: Shapes = None


@dataclass(frozen=True, kw_only=True)
class OnNodes:
    """How jobs get nodes, and what they ask of them."""

    allocator: Annotated[
        str | None,
        option(
            "NAME",
            "On nodes: first-fit, best-fit, worst-fit, consecutive or serial-last.",
            shown="first-fit; with --site, consecutive",
        ),
    ] = None
    memory_unit: Annotated[str, option("UNIT", "Unit of field 10: auto, or kb|bytes-per-processor|chunk.")] = "auto"


@dataclass(frozen=True, kw_only=True)
class SessionEnds:
    """What ends a session."""

    delimitation: Delimitation = "arrival"
    threshold: Threshold = None

    def __post_init__(self) -> None:
        errors.choice("--delimitation", self.delimitation, DELIMITATIONS)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The window that is measured."""

    measure_from: MeasureFrom = None
    measure_to: MeasureTo = None


@dataclass(frozen=True, kw_only=True)
class Told:
    """How a command tells what it found."""

    json: Json = False
    quiet: Quiet = False
