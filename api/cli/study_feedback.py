"""`thinktime study feedback`: open loop against feedback, under many policies and several loads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli import inputs
from thinktime.cli.console import json_text, stdout
from thinktime.cli.durations import NONE, counted, number, percentage
from thinktime.cli.feedback_report import PLUS_MINUS
from thinktime.cli.feedback_report import as_json as comparison_as_json
from thinktime.cli.progress import Teller
from thinktime.cli.runs import chosen, compile_for
from thinktime.cli.study_common import run_and_write, study_table, timed, verdicts, write_files

if TYPE_CHECKING:
    from thinktime.analysis.studies.feedback.study import Level, Study
    from thinktime.workloads import Trace

DOWNLOADED = ("KTH-SP2-1996-2.1-cln", "SDSC-SP2-1998-4.2-cln")
"""Logs that are taken from the cache of `thinktime trace get`, where they are there."""

WEEKS = {True: 5, False: 26}
"""Of the made-up log, with and without --quick."""


def feedback(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer draws, and a short made-up log.")] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A log in SWF with users and waits.",
            show_default="KTH-SP2 or SDSC-SP2 where downloaded, else (and with --quick) a made-up one",
        ),
    ] = None,
    processors: Annotated[
        str | None,
        typer.Option(metavar="N", help="Size of the machine.", show_default="what the log's header says"),
    ] = None,
    replications: Annotated[
        str | None, typer.Option(metavar="N", help="Draws per load.", show_default="5, with --quick 2")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Another seed is another sample.")] = 1,
    workers: Annotated[
        str | None, typer.Option(metavar="N", help="Processes to use.", show_default="one per core")
    ] = None,
    max_size: inputs.MaxSize = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write pictures and numbers.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Policies judged open-loop, with feedback and with drawn users, at several loads."""
    from dataclasses import replace

    from thinktime.analysis.parallel import cores
    from thinktime.analysis.studies.feedback import study as model

    effort = model.QUICK if quick else model.FULL
    if replications is not None:
        effort = replace(effort, replications=inputs.replications_of(replications))
    size = None if processors is None else inputs.machine_size(processors)
    processes = cores() if workers is None else inputs.whole("--workers", workers)
    teller = Teller(quiet)
    compile_for(chosen(list(model.POLICIES.values())), "kill", teller)
    log, source = _log(trace, quick, size, max_size)
    run = partial(_run, log, source, effort, seed, processes, teller, size)
    found = run_and_write(run, write, out, teller)
    if json:
        typer.echo(json_text(as_json(found)))
    else:
        _print(found)


def _log(path: str | None, quick: bool, size: int | None, max_size: str | None) -> tuple[Trace, str]:
    """The log to draw users from, and what it is in words."""
    if path is None and not quick:
        path = _downloaded()
    if path is not None:
        workload = inputs.load(path, None if size is None else str(size), max_size=max_size)
        return workload.trace, f"{Path(path).name}, {counted(len(workload.trace), 'job')}"
    from thinktime.analysis.studies.feedback.office_log import made_up_log

    log = made_up_log(WEEKS[quick])
    return log, f"a made-up log of {WEEKS[quick]} weeks, {counted(len(log), 'job')}"


def _downloaded() -> str | None:
    import pooch

    for name in DOWNLOADED:
        file = Path(pooch.os_cache("thinktime")) / f"{name}.swf.gz"
        if file.exists():
            return str(file)
    return None


def _run(
    log: Any, source: str, effort: Any, seed: int, workers: int, teller: Teller, size: int | None
) -> Study:
    from thinktime.analysis.studies.feedback.study import run_study

    study = partial(run_study, log, source, effort, seed, workers, processors=size)
    return timed(study, "draws of users", teller)


def write(found: Study, aside: Path) -> None:
    """The pictures, and the object of --json."""
    from thinktime.analysis.studies.feedback import figures

    write_files(aside, figures.figures(found), {}, as_json(found), kinds=["png"])


def as_json(found: Study) -> dict[str, Any]:
    """The object that `--json` prints: each level as `thinktime feedback --json` has it, and who gains."""
    return {
        "source": found.source,
        "seed": found.seed,
        "levels": {
            _key(level): comparison_as_json(of)
            | {
                "gains": {
                    mode: {policy: _gains(found, level, mode, policy) for policy in of.measures[mode]}
                    for mode in of.measures
                }
            }
            for level, of in found.levels.items()
        },
    }


def _gains(found: Study, level: Level, mode: str, policy: str) -> dict[str, float | None]:
    return {
        name: None if value != value else value
        for name, value in found.gain(level, mode, policy)._asdict().items()
    }


def _key(level: Level) -> str:
    return "log" if level is None else f"{level:g}"


# -- tables -------------------------------------------------------------------------------------------------


def _print(found: Study) -> None:
    from thinktime.analysis.studies.feedback.findings import findings

    console = stdout()
    for level in found.levels:
        console.print(level_table(found, level))
        console.print()
    for line in _rankings(found):
        console.print(line)
    console.print()
    table = verdicts(findings(found))
    table.title = "What was looked for, and whether it is seen"
    console.print(table)
    console.print(
        f"{found.source}; slowdown: mean bounded slowdown (10 s) {PLUS_MINUS} 95 % by t over draws of users; "
        "fb: feedback; queue: work that waits, in hours of the whole machine, time average; a day: finished jobs "
        "a day; gain, lose: users whose mean response is 10 % shorter, longer than under EASY in that mode."
    )


def _rankings(found: Study) -> Iterator[str]:
    from thinktime.analysis.modes.in_words import legend, ranking

    used = set()
    for level, of in found.levels.items():
        for mode in of.measures:
            used |= {pair.verdict for pair in of.pairs(mode)}
            yield f"{_title(level)}, {mode}: {ranking(of, mode, differences=False)}"
    yield legend(used)


def level_table(found: Study, level: Level) -> Table:
    """One level of load: what each mode says of each policy."""
    from thinktime.analysis.statistics import mean

    of = found.levels[level]
    table = study_table(_title(level), "policy")
    for title in (
        "slowdown\nopen", "\nfeedback", "\ngenerative", "open\n/ fb", "queue (h)\nopen", "\nfb", "a day\nopen",
        "\nfb", "gain\nfb", "lose\nfb",
    ):  # fmt: skip
        table.add_column(title, justify="right", no_wrap=True)
    for policy in of.measures["open"]:
        slowdowns = [mean(of.values(mode, policy)) for mode in of.measures]
        gains = found.gain(level, "feedback", policy)
        table.add_row(
            policy,
            *(_pm(each.mean, each.half) for each in slowdowns),
            number(found.ratio(level, policy), 1),
            *(number(of.mean(mode, policy, "mean_backlog"), 1) for mode in ("open", "feedback")),
            *(number(of.mean(mode, policy, "throughput_per_day"), 0) for mode in ("open", "feedback")),
            _percent(gains.gain),
            _percent(gains.lose),
        )
    return table


def _title(level: Level) -> str:
    return "The log itself" if level is None else f"{level:g} users per user of the log"


def _pm(value: float, half: float) -> str:
    digits = 0 if value >= 100 else 1
    return number(value, digits) + ("" if half != half else f"{PLUS_MINUS}{number(half, digits)}")


def _percent(share: float) -> str:
    return NONE if share != share else percentage(share).split(".")[0] + "%"
