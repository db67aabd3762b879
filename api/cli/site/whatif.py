"""`thinktime site whatif`: a site's configuration of today against changes of it, on the site's own log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.cli import errors, inputs, options
from thinktime.cli.console import tell
from thinktime.cli.progress import StatusOutput
from thinktime.cli.run import swept, tell_failures
from thinktime.workloads import mode_names
from thinktime.workloads.names import quoted, shortened

if TYPE_CHECKING:
    from thinktime.analysis.experiments import Scenario
    from thinktime.models.site.site import Site

METRICS = "mean_wait", "p95_wait", "mean_bounded_slowdown_10", "utilization"
MODES = "open", "dependencies", *mode_names.MODES[1:]
BY = "user", "group", "queue", "partition"
LEFT = "waiting", "refused"
"""Jobs that have no wait: those that never started, and those that were turned away."""
MOST = 8
"""Of how many users, groups, queues or partitions waits are told: those with the most jobs."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What is compared: changes of the site's file and other schedulers, in several modes."""

    change: Annotated[
        list[str] | None,
        options.option(
            "PATH=VALUE,…",
            "Settings that differ, such as backfill.bf_job_part_count_reserve=1; repeat to compare.",
            shown=False,
        ),
    ] = None
    policy: Annotated[
        list[str] | None,
        options.option(
            "SPEC", "Another scheduler on the site's machine, such as easy:order=multifactor; repeat it.", shown=False
        ),
    ] = None
    mode: Annotated[
        list[str] | None,
        options.option(
            "|".join(MODES),
            "How users behave; repeat it to compare. Drawn users (generative) wait for results more than the log's.",
            shown=", ".join(mode_names.DEFAULT_MODES),
        ),
    ] = None

    def __post_init__(self) -> None:
        if not self.change and not self.policy:
            raise ValueError("today's configuration is compared with others: give --change or --policy")
        for each in self.mode or ():
            errors.choice("--mode", each, MODES)


@dataclass(frozen=True, kw_only=True)
class SiteLog:
    """What is read of the site's log and assumed of its jobs and users, and the window that is measured."""

    names: options.Names = None
    shapes: options.Shapes = None
    respond: options.Respond = None
    since: options.Since = None
    until: options.Until = None
    window: options.Measured


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is told of each configuration."""

    metric: Annotated[
        list[str] | None, options.option("NAME", "What to measure; repeat it.", shown=", ".join(METRICS))
    ] = None
    by: Annotated[
        str | None,
        options.option("|".join(BY), "Also the mean waits of each user, account, QOS or partition.", shown="none"),
    ] = None

    def __post_init__(self) -> None:
        if self.by is not None:
            errors.choice("--by", self.by, BY)


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """How often each configuration is run, and with which random numbers."""

    replications: Annotated[str, options.option("N", "With 2 or more, users are redrawn from the log for each.")] = "1"
    shake: options.Shake = None
    seed: Annotated[int, options.option("S", "Seed of the random numbers.", min=0)] = 1

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of a scenario, and of its log, that say so."""
        count = inputs.replications_of(self.replications)
        shakes = inputs.shakes_of(self.shake, count)
        shaken: dict[str, Any] = {"shake": {}} if shakes else {}
        return shaken | {"seed": self.seed, "replications": shakes or count}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What may be asked of this computer."""

    workers: Annotated[str | None, options.option("N", "Processes to use.", shown="one per core")] = None
    max_size: options.MaxSize = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Where and how the comparison is told."""

    out: Annotated[Path | None, options.output("DIR", "Keep the runs here; an unfinished comparison is resumed.")] = (
        None
    )
    report: Annotated[Path | None, options.option("FILE", "Write the comparison as one HTML page.")] = None
    told: options.Told

    def __post_init__(self) -> None:
        page = self.report
        if page is not None and (page.suffix not in (".html", ".htm") or not page.parent.is_dir()):
            raise ValueError(
                f"--report {shortened(page)}: it must be the name of a page, .html, in a folder that exists"
            )


@options.spread
def whatif(
    file: Annotated[str, options.argument("FILE", "A site's file: site.toml.")],
    trace: Annotated[str, options.argument("TRACE", "A log of the site in SWF: .swf or .swf.gz.")],
    *,
    compared: Compared,
    log: SiteLog,
    asked: Asked,
    repeated: Repeated,
    limits: Limits,
    answer: Answer,
) -> None:
    """Compare a site's configuration with changes of it.

    A change is a path into the site's file and a value; `none` is the default of a key, or no such partition, QOS or
    account. maintenance=BEGIN/END/NODES sets nodes aside. Jobs come as in the log (open), or when their users would
    send them (feedback), under the site's own scheduler, and others that are named.
    """
    from thinktime.models.site.site import Site

    site, changes = Site.read(file), compared.change or ()
    check_changes(site, changes)
    settings = repeated.settings
    found = tables(file, trace, changes, compared.mode or mode_names.DEFAULT_MODES, compared.policy or ())
    found["trace"] |= {
        "names": None if log.names is None else _path(log.names), "from": log.since, "to": log.until,
        "max_size": inputs.file_size(limits.max_size),
    }  # fmt: skip
    found["trace"] |= _responding(log.respond)
    found["trace"] = {key: value for key, value in found["trace"].items() if value is not None}
    if log.shapes is not None:
        found["shapes"] = {"file": _path(log.shapes)} if log.shapes.endswith(".csv") else log.shapes
    if settings["replications"] > 1 and "shake" not in settings:
        found["trace"]["resample"] = True
    found |= {key: side for key, side in asdict(log.window).items() if side}
    found |= settings | {"name": f"what if: {site.name}"}
    metrics = [*(asked.metric or METRICS), *(_waits(trace, log.names, asked.by, limits.max_size) if asked.by else ())]
    found["metrics"] = list(dict.fromkeys([*metrics, *LEFT]))
    workers = None if limits.workers is None else inputs.whole("--workers", limits.workers)
    with _folder(answer.out) as folder:
        done = swept(scenario_of(found), folder, workers, None, StatusOutput(answer.told.quiet))
        if answer.report is not None:
            from thinktime.analysis import reports

            reports.report(done, answer.report)
        from thinktime.cli.site import whatif_report

        tell(whatif_report.report(done, site.name, trace, metrics), answer.told.json)
        tell_failures(done, kept=answer.out is not None)


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


def tables(
    file: str, trace: str, changes: Sequence[str], modes: Sequence[str], others: Sequence[str] = ()
) -> dict[str, Any]:
    """The tables of a scenario that compares configurations, and other schedulers."""
    from thinktime.models.machine.configured import OWN

    return {
        "machine": {"site": _path(file)},
        "trace": {"file": _path(trace)},
        "policies": [OWN, *(f"{OWN}:{text}" for text in changes), *others],
        "sweep": {"grid": {"trace.mode": list(dict.fromkeys(modes))}},
    }


def _responding(path: str | None) -> dict[str, Any]:
    """The keys of a scenario's log that say which of its users respond, as the file of ``--respond`` does."""
    from thinktime.workloads.reading.texts import tables_in

    if inputs.respondents_in(path) == ():
        return {}
    assert path is not None
    table = tables_in(Path(path).read_text(encoding="utf-8"), path)
    if "seed" in table:
        raise ValueError(f"--respond {shortened(path)}: who responds is drawn with --seed here; leave out seed")
    return {"behaviours": table["behaviours"], "respondents": table.get("share", 1.0)}


def scenario_of(content: dict[str, Any]) -> Scenario:
    """The scenario with this content."""
    from thinktime.analysis.experiments import Scenario

    return Scenario.from_tables(content, "the comparison")


def _path(name: str) -> str:
    return str(inputs.existing(name).absolute())


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
    """The folder of the runs, which is removed unless it is asked for."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
        yield Path(folder)
