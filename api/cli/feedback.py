"""`thinktime feedback`: one log in an open loop, with feedback, and with users drawn from it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thinktime.cli import errors, options, output_folders, policy_runs
from thinktime.cli.console import tell
from thinktime.cli.incentives import Conditions
from thinktime.cli.inputs import MOST_REPLICATIONS, measured, replications_of, respondents_in, shakes_of, whole
from thinktime.cli.progress import StatusOutput
from thinktime.cli.replay import write_schedule
from thinktime.cli.workload import Choice, Workload, chosen, configured, load, of_shapes, policies_at
from thinktime.workloads import Trace
from thinktime.workloads.mode_names import CALIBRATED, DEFAULT_MODES, GENERATIVE, MODES
from thinktime.workloads.names import quoted
from thinktime.workloads.shaking import SHARE

if TYPE_CHECKING:
    from thinktime.analysis.diagnosis.trust import Trust
    from thinktime.analysis.load_heatmap import LoadHeatmap
    from thinktime.analysis.modes.mode_comparison import ModeComparison
    from thinktime.analysis.modes.mode_options import Asked, WhoSubmits
    from thinktime.analysis.modes.mode_runs import Keep
    from thinktime.analysis.report import Report
    from thinktime.models.results.result import Result
    from thinktime.users.local_hours import LocalHours


DRAWS = ("samples", "fitted")
MOST_LOAD = 100
"""The largest offered load that may be requested."""
MOST_USERS = 1000
"""The largest number of users per user of the log that may be requested."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What is compared: policies, in several modes."""

    policy: options.Policies = None
    mode: Annotated[
        list[str] | None,
        options.option(
            "|".join(MODES),
            "How users behave; repeat it to compare. Drawn users (generative) wait for results more than the log's; "
            "fitted ones (calibrated) have to be asked for, since they miss more than they may in some worlds.",
            shown="open, and those to be trusted for this log",
        ),
    ] = None

    def __post_init__(self) -> None:
        for each in self.mode or ():
            errors.choice("--mode", each, MODES)


@dataclass(frozen=True, kw_only=True)
class Users:
    """How many users there are, how often they are drawn, and how they are read out of the log."""

    offered_load: Annotated[
        float | None,
        options.option(
            "X", "Scale to this offered load by leaving out or copying weeks of users.", "--load", shown="the log's own"
        ),
    ] = None
    population: Annotated[
        float | None,
        options.option(
            "X",
            "Users per user of the log, drawn from them and shifted by whole weeks.",
            shown="the log's own users and times",
        ),
    ] = None
    seed: Annotated[int, options.option("S", "Seed of the random numbers.", min=0)] = 0
    replications: Annotated[str, options.option("N", "With 2 or more, users are redrawn from the log for each.")] = "1"
    shake: options.Shake = None
    respond: options.Respond = None
    ends: options.SessionEnds
    hours: Annotated[
        str | None,
        options.option(
            "H-H|log",
            "Modes with feedback: delayed users return only within these hours, Monday to Friday, such as 9-17, "
            "or within their own hours ('log').",
            shown="at any time",
        ),
    ] = None
    draw: Annotated[
        str,
        options.option(
            "|".join(DRAWS), "Mode generative: draw from each user's samples, or from distributions fitted to them."
        ),
    ] = "samples"
    draws: Annotated[
        str,
        options.option(
            "N",
            "Mode generative: how often users are drawn; intervals are then Monte-Carlo error alone. Mode calibrated: "
            "how often it is drawn what they may do.",
        ),
    ] = "1"
    correct: Annotated[
        str | None,
        options.option(
            "POLICY",
            "The policy that made the log: other modes than open are corrected by what they say of it.",
            shown="no correction",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check what can be checked without the log."""
        load, population = self.offered_load, self.population
        if self.correct and self.respond:
            raise ValueError("--correct needs the users of the log as they were, so leave out --respond")
        errors.choice("--draw", self.draw, DRAWS)
        if self.correct and (load is not None or population is not None or self.replications != "1"):
            raise ValueError("--correct needs the log itself, so leave out --load, --population and --replications")
        if load is not None and not 0 < load <= MOST_LOAD:
            raise ValueError(f"--load must be a fraction of the machine above 0 and at most {MOST_LOAD}, not {load:g}")
        if population is not None and not 0 < population <= MOST_USERS:
            raise ValueError(
                f"--population must be above 0 and at most {MOST_USERS} users per user of the log, not {population:g}"
            )
        if load is not None and population is not None:
            raise ValueError("--load and --population both set the number of users; give one of them")

    @property
    def who(self) -> WhoSubmits:
        """What a comparison of modes is given of these, but for the hours, which are on a log's clock."""
        from thinktime.analysis.modes.mode_options import WhoSubmits

        who = WhoSubmits(
            draw=self.draw,
            seed=self.seed,
            load=self.offered_load,
            population=self.population,
            replications=replications_of(self.replications),
            draws=whole("--draws", self.draws, MOST_REPLICATIONS),
            delimitation=self.ends.delimitation,
            threshold=self.ends.threshold,
            responses=respondents_in(self.respond),
        )
        shakes = shakes_of(self.shake, who.replications)
        return replace(who, replications=shakes, shake=SHARE) if shakes else who


@options.spread
def feedback(
    trace: Annotated[
        str, options.argument("TRACE", "A log with wait times: .swf, .swf.gz, or PRESET:PATH of a data set.")
    ],
    *,
    compared: Compared,
    log: options.Log,
    part: options.Measured,
    users: Users,
    machine: Conditions,
    out: Annotated[Path | None, options.output("DIR", "Write the comparison, a picture, and each run's jobs.")] = None,
    told: options.Told,
) -> None:
    """Run policies on a log whose users react, and see whether their ranking changes."""
    from thinktime.analysis.modes.mode_options import Asked, LogPart

    errors.choice("--overrun", log.overrun, options.OVERRUNS)
    who = users.who
    # A user's own policy may print; that must not mix with the JSON object.
    with redirect_stdout(sys.stderr) if told.json else nullcontext():
        at = configured(log.site)
        choices = chosen(list(dict.fromkeys(policies_at(compared.policy, at))), at)
        correct = None if users.correct is None else chosen([users.correct], at)[0][1]
        workload = load(trace, log, machine.changes.given, at, seed=users.seed, quiet=told.quiet)
        costs = machine.priced.fields(workload.trace.calendar)
        workload = replace(workload, responses=who.responses, priced=costs)
        refuse_without_users(workload)
        first, last = measured(workload.trace, part.measure_from, part.measure_to)
        if users.hours is not None:
            who = replace(who, hours=working_hours(users.hours, workload.trace))
        policy_runs.check(workload, choices, log.overrun)
        advice = advised(workload, who, log.overrun)
        wanted = compared.mode or default_modes(advice.modes, workload.trace, choices)
        modes = tuple(dict.fromkeys(wanted))
        if users.draw != "samples" and GENERATIVE not in modes:
            raise ValueError(f"--draw {users.draw} needs --mode generative, which draws users")
        if users.draws != "1" and not {GENERATIVE, CALIBRATED} & {*modes} and not users.correct:
            raise ValueError(f"--draws {users.draws} needs --mode generative or calibrated, which draw users")
        of_log = LogPart(start=log.since, end=log.until, measure_from=first, measure_to=last)
        asked = Asked(modes=modes, part=of_log, who=who, correct=correct)
        made = run_and_write(workload, choices, asked, advice, log, StatusOutput(told.quiet), out)
    tell(made, told.json)


def refuse_without_users(workload: Workload) -> None:
    """``ValueError`` for a data set that does not say who submitted what."""
    from thinktime.models.machine.combinations import refuse
    from thinktime.models.machine.wanted import Wanted

    known = workload.report.data_set
    refuse(Wanted(closed=True, data_sets=() if known is None else (known,)))


def advised(workload: Workload, who: WhoSubmits, overrun: str) -> Trust:
    """Which mode to trust for a log, with the self-test under EASY on the machine."""
    from thinktime.analysis.diagnosis import nulls
    from thinktime.analysis.diagnosis.signs import trust

    return trust(
        workload.trace,
        workload.machine(nulls.POLICY, overrun),
        delimitation=who.delimitation,
        threshold=who.threshold,
        seed=who.seed,
    )


def default_modes(trusted: Sequence[str], trace: Trace, choices: Sequence[Choice]) -> list[str]:
    """The open loop and the modes to be trusted, but for drawn users where none can be drawn."""
    from thinktime.models.policies.hooks import Hooks

    drawn = bool((trace.user >= 0).any()) and not any(Hooks(made).as_recorded for _, made in choices)
    found = dict.fromkeys(["open", *(each for each in trusted if drawn or each != "generative")])
    return list(found) if len(found) > 1 else list(DEFAULT_MODES)


def working_hours(text: str, trace: Trace) -> LocalHours | str:
    """The value of `--hours`, on the log's clock."""
    from thinktime.users import WorkingHours
    from thinktime.users.local_hours import LocalHours

    if text == "log":
        return text
    start, _, end = text.partition("-")
    try:
        return LocalHours.of_log(WorkingHours(float(start), float(end)), trace)
    except ValueError:
        raise ValueError(
            "--hours must be two hours of the day, such as 9-17 or, through the night, 22-6, or 'log', not "
            f"{quoted(text)}"
        ) from None


def run_and_write(
    workload: Workload,
    choices: Sequence[Choice],
    asked: Asked,
    advice: Trust,
    log: options.Log,
    status: StatusOutput,
    out: Path | None,
) -> Report:
    """Run the policies in each mode, and move all files into place at the end."""
    if out:
        output_folders.names([spec for spec, _ in choices])
    notes = dict.fromkeys([] if workload.site is None else workload.site.notes)
    maps: dict[str, dict[str, LoadHeatmap]] = {spec: {} for spec, _ in choices}
    with output_folders.filled(out, status.say, inside=asked.modes) as aside:

        def keep(mode: str, policy: str, replication: int, result: Result) -> None:
            if not replication and workload.site_named:
                notes.update(dict.fromkeys(result.notes))
            if aside and not replication:
                from thinktime.analysis.load_heatmap import LoadHeatmap

                write_schedule(result, aside / mode / output_folders.folder_name(policy))
                maps[policy][mode] = LoadHeatmap.of(result, asked.part.measure_from, asked.part.measure_to)

        found = _run(replace(workload, reasons=out is not None), choices, log.overrun, asked, status, keep)
        from thinktime.cli import feedback_report
        from thinktime.workloads.calibration.beyond import sentence

        more = [
            *limits(choices),
            *of_shapes(workload.trace, choices),
            *(note for note in notes if note != sentence(found.lacks)),
        ]
        made = feedback_report.report(found, workload, advice, log.estimates, more)
        if aside:
            made.write(aside, "feedback")
            _compare_loads(maps, aside)
    return made


def limits(choices: Sequence[Choice]) -> list[str]:
    """A sentence on the policies with a runtime limit, if there are any."""
    from thinktime.models.policies.hooks import Hooks

    limited = [spec for spec, made in choices if Hooks(made).runtime_limit < inf]
    if not limited:
        return []
    return [f"Under {', '.join(limited)} each segment of a split job counts as a job, but not in sessions."]


def _compare_loads(maps: dict[str, dict[str, LoadHeatmap]], aside: Path) -> None:
    from thinktime.analysis.pictures import load_difference, style

    for policy, modes in maps.items():
        if len(modes) > 1:
            name = f"load-and-slowdown-{output_folders.folder_name(policy)}.png"
            style.save(load_difference.difference_heatmap(modes), aside / name)


def _run(
    workload: Workload, choices: Sequence[Choice], overrun: str, asked: Asked, status: StatusOutput, keep: Keep
) -> ModeComparison:
    from thinktime.analysis.modes.mode_runs import run_modes

    with status.counting("runs") as progress:

        def say(what: str, done: int, total: int) -> None:
            if progress:
                progress(done, total)

        found = run_modes(workload.trace, dict(choices), workload.machine(None, overrun), asked, keep, say)
    assert found.source is not None
    return replace(found, source=replace(found.source, whole=workload.report.jobs))
