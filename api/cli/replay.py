"""`thinktime replay`: replay a log under one policy after another, compare the results, and write their files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thinktime.cli import errors, options, output_folders, policy_runs, replay_report
from thinktime.cli.console import tell
from thinktime.cli.incentives import Conditions
from thinktime.cli.inputs import measured, respondents_in, shakes_of
from thinktime.cli.output_folders import folder_name
from thinktime.cli.policy_runs import PolicyRun
from thinktime.cli.progress import StatusOutput
from thinktime.cli.states import States, begun, left, own_choice
from thinktime.cli.workload import Choice, Workload, chosen, configured, load, policies_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinktime.analysis.chaos import Chaos
    from thinktime.models.results.result import Result
    from thinktime.users.saving import Saving


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Where and how the results are told."""

    out: Annotated[
        Path | None, options.output("DIR", "Write jobs.csv, schedule.swf and pictures, one folder per policy.")
    ] = None
    told: options.Told


@dataclass(frozen=True, kw_only=True)
class Runs:
    """How often the log is replayed, and from where on."""

    shake: options.Shake = None
    respond: options.Respond = None
    states: States

    def __post_init__(self) -> None:
        """Check that nothing is given that knows no users who respond."""
        if self.respond is not None and (self.shake is not None or self.states.any):
            raise ValueError(
                "--respond needs a whole replay, since users are no part of a state, and shaken copies are of the log "
                "alone; leave out --shake, --begin, --save-state and --resume"
            )


@options.spread
def replay(
    trace: Annotated[str, options.argument("TRACE", "A log: .swf, .swf.gz, or PRESET:PATH of a data set.")],
    *,
    policy: options.Policies = None,
    log: options.Log,
    machine: Conditions,
    part: options.Measured,
    dependencies: Annotated[
        bool, options.flag("--dependencies", "Jobs wait for those in fields 17 and 18, and for LOG.conditions.csv.")
    ] = False,
    runs: Runs,
    answer: Answer,
) -> None:
    """Replay a log under one or more policies and compare them."""
    told = answer.told
    errors.choice("--overrun", log.overrun, options.OVERRUNS)
    # A user's own policy may print; that must not mix with the JSON object.
    with redirect_stdout(sys.stderr) if told.json else nullcontext():
        states = runs.states
        at, state = configured(log.site), states.read()
        choices = chosen(policies_at(policy, at), at) if policy or state is None else [own_choice(state)]
        if state is not None and states.left_behind:
            choices = [left(choice, state) for choice in choices]
        states.check(len(choices), runs.shake is not None)

        def loaded(since: str | None = log.since) -> Workload:
            part_of = replace(log, since=since)
            found = load(trace, part_of, machine.changes.given, at, dependencies=dependencies, quiet=told.quiet)
            return replace(found, priced=machine.priced.fields(found.trace.calendar))

        workload = replace(loaded(), responses=respondents_in(runs.respond))
        saving = states.saving(workload.trace, state)
        workload = workload if state is None else begun(state, workload, states, loaded)
        window = measured(workload.trace, part.measure_from, part.measure_to)
        shakes, status = shakes_of(runs.shake), StatusOutput(told.quiet)
        done = run_and_write(workload, choices, log.overrun, status, answer.out, saving)
        done = [replace(run, window=window) for run in done]
        found = shaken(workload, choices, log.overrun, done, shakes, status) if shakes else None
    tell(replay_report.report(workload, done, found), told.json)
    if saving is not None and saving.checkpoint is not None:
        Path(saving.checkpoint).unlink(missing_ok=True)  # all is told


def shaken(
    workload: Workload,
    choices: Sequence[Choice],
    overrun: str,
    done: Sequence[PolicyRun],
    shakes: int,
    status: StatusOutput,
) -> Chaos:
    """What becomes of the numbers of these runs in shaken copies of the log."""
    from thinktime.analysis.chaos import Shakes, chaos, summarized

    machines = {spec: workload.machine(policy, overrun) for spec, policy in choices}
    (first, last), logged = done[0].window, {run.spec: run.result for run in done}
    with status.counting("shaken replays") as progress:
        return chaos(
            workload.jobs,
            machines,
            Shakes(shakes),
            dependencies=workload.conditions,
            logged=logged,
            numbers=summarized(first, last),
            progress=progress,
        )


def run_and_write(
    workload: Workload,
    choices: Sequence[Choice],
    overrun: str,
    status: StatusOutput,
    out: Path | None,
    saving: Saving | None = None,
) -> list[policy_runs.PolicyRun]:
    """Replay the log, moving each policy's files into place as soon as they are complete.

    States have the reasons why jobs wait, which the run that goes on may write.
    """
    workload = replace(workload, reasons=out is not None or saving is not None)
    names = output_folders.names([spec for spec, _ in choices] if out else [])
    with output_folders.filled(out, status.say, inside=names) as aside:
        done = policy_runs.run_all(workload, choices, overrun, status, saving)
        if out and aside:
            window = gantt_window(done)
            for run in done:
                write_run(run, aside, window)
                output_folders.deliver(aside, out)
            write_across(done, aside)
    return done


Window = tuple[float, float]
"""From and to (s)."""


def write_run(run: PolicyRun, aside: Path, window: Window | None = None) -> None:
    """Write the folder of one policy; its Gantt chart shows `window`, by default the busiest one."""
    from thinktime.analysis import pictures

    folder = aside / folder_name(run.spec)
    write_schedule(run.result, folder)
    draw(folder / "utilization-and-queue.png", lambda: pictures.utilization_and_queue(run.result))
    if run.result.machine_power is not None:
        draw(folder / "power.png", lambda: pictures.power_over_time(run.result))
    if run.result.charge is not None:
        draw(folder / "who-pays.png", lambda: pictures.who_pays(run.result))
    draw(folder / "wait-by-width.png", lambda: pictures.wait_by_width(labelled([run])))
    draw(folder / "gantt.png", lambda: pictures.gantt(run.result, *(window or ())))


def write_schedule(result: Result, folder: Path) -> None:
    """Make a folder with a result, its jobs as tables, and their runs if the machine changes."""
    from thinktime.models.results import kept

    folder.mkdir(parents=True)
    result.save(folder / kept.NAME)
    result.to_csv(folder / "jobs.csv")
    result.to_swf(folder / "schedule.swf")
    if result.history is not None:
        result.runs.to_csv(folder / "runs.csv", index=False, lineterminator="\n")


def gantt_window(runs: Sequence[PolicyRun]) -> Window | None:
    """The window that all Gantt charts show, so that they can be compared: the busiest of the first policy.

    A policy under which no job ran has none; the next policy is used instead.
    """
    from thinktime.analysis.pictures.gantt import busy_window

    for run in runs:
        with suppress(ValueError):
            return busy_window(run.result)
    return None


def write_across(runs: Sequence[PolicyRun], aside: Path) -> None:
    """Write the pictures that compare the policies."""
    from thinktime.analysis import pictures

    draw(aside / "bounded-slowdown.png", lambda: pictures.slowdown_distribution(labelled(runs)))
    draw(aside / "wait-by-width.png", lambda: pictures.wait_by_width(labelled(runs)))
    if any(run.result.machine_power is not None or run.result.signals for run in runs):
        draw(aside / "work-by-hour.png", lambda: pictures.work_by_hour(labelled(runs)))
    if len(runs) > 1:
        draw(aside / "load-and-slowdown.png", lambda: pictures.difference_heatmap(labelled(runs)))


def labelled(runs: Sequence[PolicyRun]) -> dict[str, Result]:
    """The results by policy, under the texts as given."""
    return {run.spec: run.result for run in runs}


def draw(path: Path, picture: Callable[[], Figure]) -> None:
    """Draw a picture and write it."""
    from thinktime.analysis.pictures import style

    style.save(picture(), path)
