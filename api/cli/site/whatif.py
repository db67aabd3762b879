"""`thinktime site whatif`: a site's configuration of today against changes of it, on the site's own log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinktime.cli import errors, inputs, options
from thinktime.cli.console import json_text, stdout
from thinktime.cli.feedback import DEFAULT_MODES
from thinktime.cli.options import argument, option, output
from thinktime.cli.progress import StatusOutput
from thinktime.cli.run import swept, tell_failures
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.analysis.experiments import Scenario
    from thinktime.models.site.site import Site

METRICS = "mean_wait", "p95_wait", "mean_bounded_slowdown_10", "utilization"
MODES = "open", "dependencies", "feedback", "clock", "reacting", "partly-open", "generative"
BY = "user", "group", "queue", "partition"
LEFT = "waiting", "refused"
"""Jobs that have no wait: those that never started, and those that were turned away."""
MOST = 8
"""Of how many users, groups, queues or partitions waits are told: those with the most jobs."""


def whatif(
    file: Annotated[str, argument("FILE", "A site's file: site.toml.")],
    trace: Annotated[str, argument("TRACE", "A log of the site in SWF: .swf or .swf.gz.")],
    change: Annotated[
        list[str],
        option(
            "PATH=VALUE,…", "Settings that differ, such as backfill.bf_job_part_count_reserve=1; repeat to compare."
        ),
    ],
    mode: Annotated[
        list[str] | None,
        option(
            "|".join(MODES),
            "How users behave; repeat it to compare. Drawn users (generative) wait for results more than the log's.",
            shown=", ".join(DEFAULT_MODES),
        ),
    ] = None,
    names: options.Names = None,
    since: options.Since = None,
    until: options.Until = None,
    measure_from: options.MeasureFrom = None,
    measure_to: options.MeasureTo = None,
    metric: Annotated[list[str] | None, option("NAME", "What to measure; repeat it.", shown=", ".join(METRICS))] = None,
    by: Annotated[
        str | None, option("|".join(BY), "Also the mean waits of each user, account, QOS or partition.", shown="none")
    ] = None,
    replications: Annotated[str, option("N", "With 2 or more, users are redrawn from the log for each.")] = "1",
    shake: options.Shake = None,
    seed: Annotated[int, option("S", "Seed of the random numbers.", min=0)] = 1,
    workers: Annotated[str | None, option("N", "Processes to use.", shown="one per core")] = None,
    max_size: options.MaxSize = None,
    out: Annotated[Path | None, output("DIR", "Keep the runs here; an unfinished comparison is resumed.")] = None,
    report: Annotated[Path | None, option("FILE", "Write the comparison as one HTML page.")] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare a site's configuration with changes of it.

    A change is a path into the site's file and a value; `none` is the default of a key, or no such partition, QOS or
    account. maintenance=BEGIN/END/NODES sets nodes aside. Jobs come as in the log (open), or when their users would
    send them (feedback), under the site's own scheduler.
    """
    from thinktime.models.site.site import Site

    for each in mode or ():
        errors.choice("--mode", each, MODES)
    if by is not None:
        errors.choice("--by", by, BY)
    if report is not None and (report.suffix not in (".html", ".htm") or not report.parent.is_dir()):
        raise ValueError(f"--report {shortened(report)}: it must be the name of a page, .html, in a folder that exists")
    site = Site.read(file)
    check_changes(site, change)
    count, found = inputs.replications_of(replications), tables(file, trace, change, mode or DEFAULT_MODES)
    found["trace"] |= {"names": names, "from": since, "to": until, "max_size": inputs.file_size(max_size)}
    found |= {key: side for key, side in (("measure_from", measure_from), ("measure_to", measure_to)) if side}
    found["trace"] = {key: _resolved(key, value) for key, value in found["trace"].items() if value is not None}
    if count > 1:
        found["trace"]["resample"] = True
    if shakes := inputs.shakes_of(shake, count):
        count, found["shake"] = shakes, {}
    found |= {"name": f"what if: {site.name}", "seed": seed, "replications": count}
    asked = [*(metric or METRICS), *(_waits(trace, names, by, max_size) if by else ())]
    found["metrics"] = list(dict.fromkeys([*asked, *LEFT]))
    wanted = None if workers is None else inputs.whole("--workers", workers)
    with _folder(out) as folder:
        done = swept(scenario_of(found), folder, wanted, None, StatusOutput(quiet))
        if report is not None:
            from thinktime.analysis import reports

            reports.report(done, report)
        from thinktime.cli.site import whatif_report

        if json:
            typer.echo(json_text(whatif_report.as_json(done, site.name, trace)))
        else:
            whatif_report.print_tables(done, asked, stdout())
        tell_failures(done, kept=out is not None)


def check_changes(site: Site, changes: Sequence[str]) -> None:
    """``ValueError`` for a change that is not understood, changes nothing, or is given twice."""
    from thinktime.models.machine.configured import OWN, configured

    today = configured(site, OWN)
    for number, text in enumerate(changes):
        try:
            if configured(site, f"{OWN}:{text}") == today:
                raise ValueError("it is so today")
        except ValueError as error:
            raise ValueError(f"--change {quoted(text)}: {error}") from None
        if text in changes[:number]:
            raise ValueError(f"--change {quoted(text)} is given twice")


def tables(file: str, trace: str, changes: Sequence[str], modes: Sequence[str]) -> dict[str, Any]:
    """The tables of a scenario that compares configurations."""
    from thinktime.models.machine.configured import OWN

    return {
        "machine": {"site": _path(file)},
        "trace": {"file": _path(trace)},
        "policies": [OWN, *(f"{OWN}:{text}" for text in changes)],
        "sweep": {"grid": {"trace.mode": list(dict.fromkeys(modes))}},
    }


def scenario_of(content: dict[str, Any]) -> Scenario:
    """The scenario with this content."""
    from thinktime.analysis.experiments import Scenario

    return Scenario.from_tables(content, "the comparison")


def _path(name: str) -> str:
    return str(inputs.existing(name).absolute())


def _resolved(key: str, value: Any) -> Any:
    return _path(value) if key == "names" else value


def _waits(trace: str, names: str | None, by: str, max_size: str | None) -> Iterator[str]:
    """The mean waits of those users, groups, queues or partitions that have the most jobs."""
    import numpy as np

    from thinktime.workloads.sacct.name_file import with_names

    log = with_names(inputs.read(trace, inputs.MOST_PROCESSORS, max_size)[0], trace, names)
    numbers, times = np.unique(getattr(log, by), return_counts=True)
    known = numbers >= 0
    if not known.any():
        raise ValueError(f"--by {shortened(by)}: no job of {shortened(trace)} has a {shortened(by)}")
    most = numbers[known][np.argsort(-times[known], kind="stable")][:MOST]
    called = log.names.get(by, {})
    yield from (f"mean_wait@{by}={called.get(number, number)}" for number in most.tolist())


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The folder of the runs, which is removed if nobody wants it."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
        yield Path(folder)
