"""`thinktime expectations`: expected end times, and how schedules meet them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.cli import errors, options, output_folders
from thinktime.cli.changing import Changes
from thinktime.cli.console import tell
from thinktime.cli.expectations_input import Named, capacity_of, results
from thinktime.cli.inputs import measured, shakes_of
from thinktime.cli.layout import duration, number, titled
from thinktime.cli.progress import StatusOutput
from thinktime.cli.replay_report import measured_named, measured_text
from thinktime.cli.workload import Choice, chosen, configured, load_site, of_shapes, with_sizes

if TYPE_CHECKING:
    from thinktime.analysis.chaos import Chaos
    from thinktime.analysis.expectations.evaluate import Expectations
    from thinktime.analysis.expectations.evaluated_site import Site
    from thinktime.analysis.report import Report
    from thinktime.models.results.result import Result

Evaluated = dict[str, "Expectations"]
Done = tuple[Evaluated, dict[str, "Result"]]
"""The schedules by name, evaluated and as they are."""


@dataclass(frozen=True, kw_only=True)
class EvaluatedLog(options.Jobs):
    """What is read of a log, and its machine."""

    site: Annotated[
        str | None, options.option("FILE", "A site's configuration (site.toml): nodes, accounts, priorities.", "--site")
    ] = None
    processors: Annotated[
        str | None, options.option("N", "Size of the machine.", shown="that of the nodes, or the log's header")
    ] = None
    shapes: options.Shapes = None
    on_nodes: options.OnNodes


@dataclass(frozen=True, kw_only=True)
class Whose:
    """Whose jobs are evaluated."""

    user: Annotated[list[str] | None, options.option("USER", "Only this user; repeat it.")] = None
    queue: Annotated[list[str] | None, options.option("QUEUE", "Only this queue; repeat it.")] = None
    without_user: Annotated[list[str] | None, options.option("USER", "All users but this one; repeat it.")] = None


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What users expect, and of whom it is told."""

    capacity: Annotated[
        str,
        options.option(
            "RULE", "What a user expects: active, users, shares, or N[,MEMORY][,NAME=K], such as 8,64gb,gpus=1."
        ),
    ] = "active"
    capacity_of_user: Annotated[
        list[str] | None,
        options.option("USER=N[,MEMORY][,NAME=K]", "What this user expects; repeat it.", "--capacity-of"),
    ] = None
    share: Annotated[
        list[str] | None, options.option("USER=W", "A user's share, with --capacity shares; repeat it.")
    ] = None
    fairshare: Annotated[bool, options.flag("--fairshare", "Users with much recent usage expect less.")] = False
    batches: Annotated[
        bool, options.flag("--batches", "Use one EET for all jobs that a user submits together.")
    ] = False  # fmt: skip
    tolerance: Annotated[
        float, options.time("TIME", "Tolerated delay after the EET (s, or such as '5 min').", "--tolerance")
    ] = 0
    whose: Whose


@dataclass(frozen=True, kw_only=True)
class Schedules:
    """The schedules that are evaluated."""

    recorded: Annotated[bool, options.flag("--recorded", "Evaluate the log's own schedule, without simulation.")] = (
        False
    )
    policy: Annotated[
        list[str] | None, options.option("SPEC", "A policy to simulate; repeat it to compare.", shown="--recorded")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Where and how the expectations are told."""

    out: Annotated[Path | None, options.output("DIR", "Write pictures, and tables of jobs and users.")] = None
    told: options.Told


@options.spread
def expectations(
    trace: Annotated[str, options.argument("TRACE", "A log: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    *,
    schedules: Schedules,
    log: EvaluatedLog,
    expected: Expected,
    changes: Changes,
    part: options.Measured,
    shake: options.Shake = None,
    answer: Answer,
) -> None:
    """Compute expected end times of jobs, and how well the log's own schedule and policies meet them."""
    policy, told = schedules.policy, answer.told
    errors.choice("--overrun", log.overrun, options.OVERRUNS)
    if changes.given and not policy:
        option = f"--{next(iter(changes.given)).replace('_', '-')}"
        raise ValueError(f"{option} is for simulated schedules, and the log's own is evaluated as it is; give --policy")
    shakes, status = shakes_of(shake), StatusOutput(told.quiet)
    for option in ("--shake",) * bool(shakes) + ("--shapes",) * bool(log.shapes):
        if not policy:
            raise ValueError(f"{option} is for simulated schedules, and the log's own is what it is; give --policy")
    with redirect_stdout(sys.stderr) if told.json else nullcontext():
        rule = capacity_of(expected.capacity, expected.capacity_of_user or [], expected.share or [], expected.fairshare)
        at = configured(log.site)
        choices = chosen(policy or [], at)
        site = load_site(
            trace, log, at, log.on_nodes, processors=log.processors, changes=changes.given, quiet=told.quiet
        )
        site = with_sizes(site, log.shapes)
        window = measured(site.trace, part.measure_from, part.measure_to)
        judge = Judge(rule, expected, window)
        with output_folders.filled(answer.out, status.say) as aside:
            named = results(site, choices, schedules.recorded or not choices, log.overrun, status)
            found, ran = evaluate_all(site, named, judge)
            floor = shaken(site, choices, log.overrun, judge, (found, ran), shakes, status) if shakes else None
            made = report(found, site, window, floor, of_shapes(site.trace, choices))
            if aside:
                output_folders.names(list(found))
                made.write(aside, "expectations")
    tell(made, told.json)


@dataclass(frozen=True)
class Judge:
    """How schedules are held against expectations; those are of the whole log."""

    rule: Any
    """The rule by which users expect waits."""
    expected: Expected
    window: tuple[float, float]
    """From and to (s) of the submissions that count."""

    def judged(self, result: Result, capacity: Any) -> Expectations:
        """The expectations of the jobs that count, with this capacity."""
        from thinktime.analysis.expectations.evaluate import evaluate
        from thinktime.analysis.expectations.job_batches import as_batches, batch_numbers

        jobs = evaluate(result, capacity, tolerance=self.expected.tolerance)
        jobs = as_batches(jobs, batch_numbers(jobs)) if self.expected.batches else jobs
        first, last = self.window
        jobs = jobs.select((jobs.submit >= first) & (jobs.submit < last))
        whose = self.expected.whose
        return jobs.only(whose.user, whose.queue).without(whose.without_user or ())


def evaluate_all(site: Site, schedules: Named, judge: Judge) -> tuple[Evaluated, dict[str, Result]]:
    """Evaluate schedules of the jobs, by name, with the same expected capacity; also the schedules."""
    found: Evaluated = {}
    results: dict[str, Result] = {}
    capacity = site.expected_from_log(judge.rule)
    for name, result in schedules:
        jobs = judge.judged(result, capacity or judge.rule)
        capacity = jobs.chosen
        if not len(jobs):
            raise ValueError(f"under {name}, no job of the selected users and queues ended")
        found[name], results[name] = jobs, result
    return found, results


def shaken(
    site: Site, choices: Sequence[Choice], overrun: str, judge: Judge, done: Done, shakes: int, status: StatusOutput
) -> Chaos:
    """What becomes of violated and of late jobs in shaken copies of the log."""
    from thinktime.analysis.chaos import Shakes, chaos

    found, results = done
    chosen = next(iter(found.values())).chosen
    machines = {spec: site.machine(policy, overrun) for spec, policy in choices}

    def numbers(result: Result) -> dict[str, float]:
        jobs = judge.judged(result, chosen)
        late = float(jobs.users()["weighted_tardiness"].sum()) if len(jobs) else 0.0
        return {"violated_jobs": float(jobs.violated.sum()), "weighted_tardiness": late}

    with status.counting("shaken replays") as progress:
        return chaos(site.jobs, machines, Shakes(shakes), logged=results, numbers=numbers, progress=progress)


def window_line(window: tuple[float, float]) -> list[str]:
    """What part of the log is measured, if it is not all."""
    text = measured_text(*window).removesuffix("; ")
    return [f"{text[0].upper()}{text[1:]}: jobs submitted then."] if text else []


def report(
    found: Evaluated, site: Site, window: tuple[float, float], floor: Chaos | None, notes: Sequence[str] = ()
) -> Report:
    """How schedules meet expectations, with pictures of all, and two CSV files for each."""
    from thinktime.analysis import evaluation

    told = evaluation.report(found, site)

    def page() -> Iterator[Any]:
        yield from told.page()
        yield from window_line(window)
        if floor is not None:
            yield from shaken_page(floor)
        yield from (f"{note}." for note in notes)

    noted = {"notes": [*notes]} if notes else {}
    return replace(told, page=page, values=lambda: measured_named(*window) | told.values() | _shaken(floor) | noted)


def shaken_page(floor: Chaos) -> Iterator[Any]:
    """What shaking does to each policy."""
    shown = titled("Shaken", "schedule", "violated\nlog", "\nshaken", "\nfloor", "WT, sum\nlog", "\nshaken", "\nfloor")
    for spec in floor.values:
        jobs, late = (floor.floor(spec, name) for name in ("violated_jobs", "weighted_tardiness"))
        counts = (number(each, 0) for each in (jobs.logged, jobs.mean, jobs.floor))
        shown.add_row(spec, *counts, *(duration(each) for each in (late.logged, late.mean, late.floor)))
    yield shown
    yield (
        f"Shaken {floor.logs} times: run times and times between submissions moved by up to {100 * floor.share:g} %; "
        "floor: standard deviation over these replays."
    )


def _shaken(floor: Chaos | None) -> dict[str, Any]:
    from thinktime.analysis.json_values import attributes

    if floor is None:
        return {}
    names = ("logged", "mean", "floor", "low", "high")
    policies = {
        spec: {name: attributes(floor.floor(spec, name), *names) for name in of} for spec, of in floor.values.items()
    }
    return {"shaken": {"logs": floor.logs, "share": floor.share, "policies": policies}}
