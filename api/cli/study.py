"""`thinktime study`: a command for every study, built from what the study declares.

The commands are built when they are asked for, since that imports the studies and NumPy.
"""

from __future__ import annotations

import inspect
import pkgutil
import time
from collections.abc import Callable
from dataclasses import MISSING
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from thinktime.cli import errors, output_folders
from thinktime.cli.cluster import executor_at
from thinktime.cli.console import tell
from thinktime.cli.expectations_input import capacity_of
from thinktime.cli.inputs import MOST_PROCESSORS, MOST_REPLICATIONS, read, whole
from thinktime.cli.layout import duration
from thinktime.cli.options import Jobs, Json, MaxSize, OnNodes, Quiet, output, show_help
from thinktime.cli.options import option as valued
from thinktime.cli.progress import StatusOutput
from thinktime.cli.workload import load_site

if TYPE_CHECKING:
    from thinktime.analysis.study.base import Option, Study

ON_DASK = "Run on the Dask scheduler at this address, or in this scheduler file."
RESUMED = "A study that was interrupted is resumed from there."

LOGS = ("log", "logs", "paths", "site")
"""Kinds of options that name logs."""
Words = dict[str, Any]
"""The words of a command line, by the name of their parameter."""


STUDIES = {
    "expectations": "papers.expectations.study:ExpectationsStudy",
    "goal": "papers.goal.study:GoalStudy",
    "cplant": "papers.cplant.study:CPlantStudy",
    "ostrich": "papers.ostrich.study:OstrichStudy",
    "slack": "papers.slack.study:SlackStudy",
    "feedback": "studies.feedback.study:FeedbackStudy",
    "prediction": "studies.prediction.study:PredictionStudy",
    "urgent": "studies.urgent.study:UrgentStudy",
    "self-test": "studies.self_test.study:SelfTestStudy",
    "logs": "studies.logs.study:LogsStudy",
    "calibrated": "studies.calibrated.study:CalibratedStudy",
    "now": "studies.now.study:NowStudy",
    "incentives": "studies.incentives.study:IncentivesStudy",
    "shapes": "studies.shapes.study:ShapesStudy",
}
"""Where every study is, in the order in which help lists them."""


def studies(*names: str) -> dict[str, type[Study[Any, Any]]]:
    """The studies of these names, or all."""
    return {name: pkgutil.resolve_name(f"thinktime.analysis.{STUDIES[name]}") for name in names or STUDIES}


class Studies(TyperGroup):
    """The group of commands, one for each study."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the studies."""
        return list(STUDIES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a study; None where there is no such study."""
        return _built(studies(cmd_name)[cmd_name]) if cmd_name in STUDIES else None


study = typer.Typer(
    cls=Studies,
    help="Run the study of a paper again, or one of feedback, of prediction or of urgent jobs.",
    callback=show_help,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)


@cache
def _built(kind: type[Study[Any, Any]]) -> Any:
    """A Typer app of one function is that function's command."""

    def command(**words: Any) -> None:
        _run(kind, words)

    command.__doc__ = (kind.__doc__ or "").partition("\n\n")[0]
    parameters = _parameters(kind)
    command.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    vars(command)["__signature__"] = inspect.Signature(parameters)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(kind.name, short_help=kind.line)(command)
    return typer.main.get_command(app)


def _parameters(kind: type[Study[Any, Any]]) -> list[inspect.Parameter]:
    """The study's own options, then those that all have."""
    options = kind.options()
    own = {_name(name, each): _own(name, each, default) for name, (each, default) in options.items()}
    logs = any(each.kind in LOGS for each, _ in options.values())
    common: dict[str, tuple[Any, Any]] = {
        "workers": (
            Annotated[str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")],
            None,
        ),
        **({"max_size": (MaxSize, None)} if logs else {}),
        "dask": (Annotated[str | None, valued("ADDRESS", ON_DASK)], None),
        "out": (Annotated[Path | None, output("DIR", f"{kind.files} {RESUMED}")], None),
        "json": (Json, False),
        "quiet": (Quiet, False),
    }
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if default is MISSING else default,
            annotation=annotation,
        )
        for name, (annotation, default) in (own | common).items()
    ]


def _name(name: str, option: Option) -> str:
    """The parameter of a field: a log is called a trace on every command line."""
    return "trace" if option.kind in ("log", "site") else name


def _own(name: str, option: Option, default: Any) -> tuple[Any, Any]:
    if default is MISSING:
        return Annotated[str, typer.Argument(metavar=option.metavar, help=option.help)], MISSING
    if option.kind == "paths":
        return Annotated[list[str] | None, typer.Argument(metavar=option.metavar, help=option.help)], None
    if option.kind == "logs":
        return Annotated[list[str] | None, typer.Option(f"--{name}", metavar=option.metavar, help=option.help)], None
    if option.kind == "flag":
        return Annotated[bool, typer.Option(f"--{name.replace('_', '-')}", help=option.help)], default
    shown: Any = option.shown or True
    metavar = option.metavar or "|".join(option.choices) or None
    about = typer.Option(metavar=metavar, help=option.help, show_default=shown)
    if option.kind in ("number", "seed"):
        about.min, about.max = 0, option.most
        number: Any = int if option.kind == "seed" else float
        return Annotated[number, about], default
    return Annotated[str | None, about], None if default is None else str(default)


def _run(kind: type[Study[Any, Any]], words: Words) -> None:
    from thinktime.analysis.parallel import cores

    out, quiet, json = words["out"], words["quiet"], words["json"]
    if words["workers"] is not None and words["dask"] is not None:
        raise ValueError("--workers sets processes on this computer, --dask a cluster; give one of them")
    values = _values(kind, words)
    workers = cores() if words["workers"] is None else whole("--workers", words["workers"])
    _read_logs(kind, words, values)
    asked = kind(**values, object_only=json and out is None)
    status = StatusOutput(quiet)
    with output_folders.filled(out, status.say, "pictures and tables") as aside:
        began = time.perf_counter()
        with executor_at(words["dask"]) as (executor, at_once), status.counting(asked.unit) as progress:
            evidence = asked.run(at_once or workers, progress, out, executor)
        status.say(f"simulated in {duration(time.perf_counter() - began)}")
        if aside:
            asked.write(evidence, aside)
    tell(asked.report(evidence), json)


def _values(kind: type[Study[Any, Any]], words: Words) -> dict[str, Any]:
    readers: dict[str, Callable[[str, str], Any]] = {
        "count": whole,
        "processors": partial(whole, most=MOST_PROCESSORS),
        "replications": partial(whole, most=MOST_REPLICATIONS),
        "capacity": lambda _, text: capacity_of(text, [], [], False),
    }
    values = {}
    for name, (option, _) in kind.options().items():
        if option.kind in LOGS:
            continue
        word, flag = words[name], f"--{name.replace('_', '-')}"
        if word is not None and option.kind in readers:
            word = readers[option.kind](flag, word)
        elif option.choices:
            errors.choice(flag, word, option.choices)
        values[name] = word
    return values


def _read_logs(kind: type[Study[Any, Any]], words: Words, values: dict[str, Any]) -> None:
    from thinktime.analysis.study.base import StudiedLog

    options = kind.options()
    sizes = [values[name] for name, (option, _) in options.items() if option.kind == "processors"]
    for name, (option, _) in options.items():
        if option.kind == "log" and words["trace"] is not None:
            trace, _report = read(words["trace"], max(filter(None, sizes), default=None), words["max_size"])
            values[name] = StudiedLog(words["trace"], trace)
        elif option.kind in ("logs", "paths"):
            paths = words[name] or ()
            values[name] = tuple(StudiedLog(path, read(path, None, words["max_size"])[0]) for path in paths)
        elif option.kind == "site":
            log = Jobs(machines=values["machines"], max_size=words["max_size"])
            on_nodes = OnNodes(memory_unit=values["memory_unit"])
            values[name] = load_site(words["trace"], log, None, on_nodes, processors=values["processors"])
