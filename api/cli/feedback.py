"""`thinktime feedback`: one log open-loop, with feedback, and with users drawn from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, feedback_report, folders, runs
from thinktime.cli.console import json_text, stdout
from thinktime.cli.inputs import ESTIMATES_HELP, Workload, checked_estimates, load, whole
from thinktime.cli.progress import Teller
from thinktime.cli.study_common import study_bar

if TYPE_CHECKING:
    from thinktime.analysis.feedback import Comparison
    from thinktime.models.result import Result
    from thinktime.users.hours import LocalHours
    from thinktime.workloads import Trace

MODES = ("open", "feedback", "generative")
DEFAULT_MODES = ("open", "feedback")
OVERRUNS = ("kill", "extend", "until_needed")
DELIMITATIONS = ("arrival", "last", "max")
DRAWS = ("samples", "fitted")


def feedback(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A log in SWF with waits: .swf or .swf.gz.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="RULE[:key=value,…] or FILE.py:NAME; repeat it to compare. See 'thinktime policies'.",
            show_default=", ".join(runs.DEFAULT_POLICIES),
        ),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            metavar="|".join(MODES),
            help="How users behave; repeat it to compare.",
            show_default=", ".join(DEFAULT_MODES),
        ),
    ] = None,
    processors: Annotated[
        str | None,
        typer.Option(metavar="N", help="Size of the machine.", show_default="what the log's header says"),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Another seed is another sample.")] = 0,
    replications: Annotated[
        str, typer.Option(metavar="N", help="With 2 or more, each has other users, drawn from the log's.")
    ] = "1",
    estimates: Annotated[str, typer.Option(metavar="KIND", help=ESTIMATES_HELP)] = "requested",
    sessions: Annotated[
        str, typer.Option(metavar="|".join(DELIMITATIONS), help="What ends a user's session in the log.")
    ] = "arrival",
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            help="A session ends after so long (s).",
            show_default="3600 with arrival, else 1200",
        ),
    ] = None,
    hours: Annotated[
        str | None,
        typer.Option(
            metavar="H-H|log",
            help="Mode feedback: who is late comes back inside these hours, Monday to Friday, such as 9-17, "
            "or inside the user's own ('log').",
            show_default="at any time",
        ),
    ] = None,
    draw: Annotated[
        str,
        typer.Option(
            metavar="|".join(DRAWS),
            help="Mode generative: from what each user did, or from distributions fitted to it.",
        ),
    ] = "samples",
    overrun: Annotated[
        str,
        typer.Option(metavar="|".join(OVERRUNS), help="What happens to a job that outlives its estimate."),
    ] = "kill",
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the comparison, a picture, and each run's jobs."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Run policies on a log whose users react, and see whether their ranking changes."""
    for option, word, known in (
        ("--overrun", overrun, OVERRUNS),
        ("--sessions", sessions, DELIMITATIONS),
        ("--draw", draw, DRAWS),
        *(("--mode", each, MODES) for each in mode or ()),
    ):
        errors.choice(option, word, known)
    modes = tuple(dict.fromkeys(mode or DEFAULT_MODES))
    if draw != "samples" and "generative" not in modes:
        raise ValueError(f"--draw {draw} is about drawn users; --mode generative runs them")
    options = {
        "modes": modes,
        "draw": draw,
        "seed": seed,
        "replications": whole("--replications", replications),
        "overrun": overrun,
        "delimitation": sessions,
        "threshold": threshold,
        "options": {"estimates": checked_estimates(estimates)},
    }
    # What a user's own policy prints must not stand beside the JSON object.
    with redirect_stdout(sys.stderr) if json else nullcontext():
        choices = runs.chosen(list(dict.fromkeys(policy or runs.DEFAULT_POLICIES)))
        workload = load(trace, processors)
        options["hours"] = None if hours is None else working_hours(hours, workload.trace)
        teller = Teller(quiet)
        found = _run_and_write(workload, choices, options, teller, out)
    if json:
        typer.echo(json_text(feedback_report.as_json(found)))
    else:
        feedback_report.print_tables(workload, found, modes, estimates, stdout())


def working_hours(text: str, trace: Trace) -> LocalHours | str:
    """The value of `--hours`, on the log's clock."""
    from thinktime.users import WorkingHours
    from thinktime.users.hours import LocalHours

    if text == "log":
        return text
    start, _, end = text.partition("-")
    try:
        return LocalHours.of_log(WorkingHours(float(start), float(end)), trace)
    except ValueError:
        raise ValueError(
            f"--hours must be two hours of the day, the first one earlier, such as 9-17, or 'log', not {text!r}"
        ) from None


def _run_and_write(
    workload: Workload,
    choices: Sequence[runs.Choice],
    options: dict[str, Any],
    teller: Teller,
    out: Path | None,
) -> Comparison:
    if out is None:
        return _run(workload, choices, options, teller, None)
    names = folders.names([spec for spec, _ in choices])
    with folders.staging(out, options["modes"]) as aside:

        def keep(mode: str, policy: str, replication: int, result: Result) -> None:
            if replication:
                return
            folder = aside / mode / names[[spec for spec, _ in choices].index(policy)]
            folder.mkdir(parents=True)
            result.to_csv(folder / "jobs.csv")
            result.to_swf(folder / "schedule.swf")

        found = _run(workload, choices, options, teller, keep)
        _write(found, aside)
        folders.deliver(aside, out)
    teller.say(f"the files are in {out}")
    return found


def _write(found: Comparison, aside: Path) -> None:
    from thinktime.analysis import feedback_pictures, style

    (aside / "feedback.json").write_text(json_text(feedback_report.as_json(found)) + "\n")
    style.save(feedback_pictures.slowdown_by_mode(found), aside / "slowdown-by-mode.png")


def _run(
    workload: Workload,
    choices: Sequence[runs.Choice],
    options: dict[str, Any],
    teller: Teller,
    keep: Callable[[str, str, int, Result], None] | None,
) -> Comparison:
    from thinktime.analysis.feedback import compare_modes

    for spec, policy in choices:
        if check := getattr(policy, "check", None):
            with runs.naming_the_line(spec):
                check(workload.trace)
    runs.compile_for(choices, options["overrun"], teller)
    bar: AbstractContextManager[Any] = study_bar(teller, "runs")
    with bar as progress:

        def tell(what: str, done: int, total: int) -> None:
            if progress:
                progress(done, total)

        return compare_modes(
            workload.trace, dict(choices), processors=workload.processors, keep=keep, progress=tell, **options
        )
