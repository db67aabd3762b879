"""`thinktime trace sessions`: the behaviour of a log's users, and which mode of replay it calls for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli import inputs, output_folders
from thinktime.cli.console import tell
from thinktime.cli.layout import NONE, duration, number, percentage, titled
from thinktime.cli.options import MaxSize, Processors, SessionEnds, Told, argument, flag, option, output, spread
from thinktime.cli.progress import StatusOutput
from thinktime.cli.trace.plot import stem

if TYPE_CHECKING:
    from thinktime.analysis.diagnosis.diagnose import Diagnosis
    from thinktime.analysis.report import Report
    from thinktime.analysis.trace.session_report import SessionReport
    from thinktime.workloads import Trace
    from thinktime.workloads.user_models import Sessions

WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
QUANTILES = ("p25", "p50", "p75", "p95", "mean")


@spread
def sessions(
    file: Annotated[str, argument("FILE", "A log with wait times: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    *,
    ends: SessionEnds,
    processors: Processors = None,
    seed: Annotated[int, option("S", "Seed of the random numbers.", min=0)] = 0,
    quick: Annotated[bool, flag("--quick", "Fewer worlds, and models of fewer batches: rougher, in seconds.")] = False,
    max_size: MaxSize = None,
    out: Annotated[
        Path | None,
        output(
            "DIR",
            "Write the picture and the numbers here.",
            shown="FILE-sessions.png alone, in the current folder; none with --json",
        ),
    ] = None,
    told: Told,
) -> None:
    """Print and draw sessions, batches, think times, day and week, and whether users react: which mode to trust."""
    size = None if processors is None else inputs.machine_size(processors)
    trace = inputs.read(file, size, max_size)[0]
    from thinktime.analysis.trace import session_report
    from thinktime.workloads.user_models import delimit

    found = session_report.report(trace, delimit(trace, ends.delimitation, ends.threshold))
    diagnosis = _diagnosed(trace, found.sessions, size, seed, quick, told.quiet)
    made = report(found, diagnosis, stem(file))
    paths = [] if told.json and out is None else _write(made, stem(file), out)
    tell(made, told.json)
    for path in [] if told.json else paths:
        typer.echo(path)


def report(found: SessionReport, diagnosis: Diagnosis, name: str) -> Report:
    """Sessions, batches and think times, whether users react, and which mode to trust; the picture has this name."""
    from thinktime.analysis.report import Report
    from thinktime.analysis.trace import session_figures, session_report
    from thinktime.cli.trace import diagnosis_report

    values = session_report.as_object(found)

    def page() -> Iterator[Table | str]:
        for table in (_numbers(values), _fits(values)):
            yield table
            yield ""
        yield from _lines(values)
        yield ""
        yield diagnosis_report.table(diagnosis)
        yield from diagnosis_report.lines(diagnosis)
        yield ""
        yield diagnosis.trust.sentence

    return Report(
        page,
        values=lambda: values | {"diagnosis": diagnosis.as_object()},
        figures=lambda: {f"{name}-sessions": session_figures.session_sheet(found, diagnosis)},
    )


def _diagnosed(trace: Trace, sessions: Sessions, size: int | None, seed: int, quick: bool, quiet: bool) -> Diagnosis:
    from thinktime.analysis.diagnosis import QUICK, diagnose

    effort = QUICK if quick else {}
    with StatusOutput(quiet).counting("logs and worlds") as progress:
        return diagnose(trace, size, sessions=sessions, seed=seed, progress=progress, **effort)


def _write(made: Report, name: str, out: Path | None) -> list[Path]:
    with output_folders.staging(Path() if out is None else out) as aside:
        made.write(aside, None if out is None else f"{name}-sessions")
        return output_folders.deliver(aside, Path() if out is None else out)


def _numbers(values: dict[str, Any]) -> Table:
    table = titled(_title(values), "", "number", "25 %", "median", "75 %", "95 %", "mean")
    for title, key, show in (
        ("think time", "think_time", duration),
        ("think time within sessions", "think_time_within_sessions", duration),
        ("session length", "session_length", duration),
        ("jobs per session", "jobs_per_session", _plain),
        ("batches per session", "batches_per_session", _plain),
        ("jobs per batch", "jobs_per_batch", _plain),
    ):
        of = values[key]
        table.add_row(title, number(of["values"]), *(show(of[name]) for name in QUANTILES))
    return table


def _fits(values: dict[str, Any]) -> Table:
    table = titled("Fits to positive values, best first (D: Kolmogorov-Smirnov distance)", "of")
    table.columns[0].no_wrap = True
    for name in ("distribution", "parameters", "D", "AIC - best"):
        table.add_column(name, justify="left" if name.islower() else "right", no_wrap=True)
    for key, fits in values["fits"].items():
        for place, each in enumerate(fits):
            parameters = ", ".join(f"{name} {value:.4g}" for name, value in each["parameters"].items())
            above = None if each["aic"] is None or fits[0]["aic"] is None else each["aic"] - fits[0]["aic"]
            of = "" if place else key.replace("_", " ")
            table.add_row(of, each["distribution"], parameters, f"{each['ks']:.3f}", number(above))
    return table


def _lines(values: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{percentage(values['think_time']['negative'])} of the think times are negative: the user came back before "
        f"the batch had ended. {number(values['dependencies'])} dependencies between batches; "
        f"{number(values['campaigns'])} campaigns (10 min)."
    )
    line = values["think_time_over_response"]
    if line:
        yield (
            f"Think time over response time: TT = {line['slope']:.4f} R + {line['intercept']:,.0f} s "
            f"(slope \N{PLUS-MINUS SIGN} {1.96 * line['slope_error']:.4f}, R² {line['r_squared']:.3f}, "
            f"{number(line['pairs'])} pairs up to {duration(line['max'])})."
        )
    goes_on = values["continuation"]
    if goes_on["level"] is not None:
        curve = f"{goes_on['level']:.2f} / ({goes_on['decay']:.3f} R + 1), R in min"
        yield f"Users continue within 20 min after a batch with probability {curve}."
    for title, names, counts in (
        ("by hour", [f"{hour}" for hour in range(24)], values["jobs_by_hour"]),
        ("by weekday", WEEKDAYS, values["jobs_by_weekday"]),
    ):
        most = max(counts) or 1
        yield f"Jobs {title} (% of the busiest): " + " ".join(
            f"{name}:{100 * count / most:.0f}" for name, count in zip(names, counts, strict=True)
        )


def _title(values: dict[str, Any]) -> str:
    return (
        f"{number(values['jobs'])} jobs of {number(values['users'])} users: {number(values['sessions'])} sessions, "
        f"{number(values['batches'])} batches ({values['delimitation']}, {duration(values['threshold'])})"
    )


def _plain(value: float | None) -> str:
    return NONE if value is None else f"{value:,.4g}"
