"""Compare policies on one log in several modes: open-loop, with feedback in several ways, and with generative users.

* ``open``: jobs come at their recorded times (`thinktime.users.replay`);
* ``feedback``: users wait for the same jobs as in the log, and think as long (`replay_with_feedback`);
* ``clock``, ``reacting``, ``partly-open``: the same with think times by a rule (`thinktime.users.think_times`);
* ``generative``: users drawn from a model of the log (`generative_users`).

All policies meet the same users (common random numbers). A single replication uses the log itself, or one draw
of generative users. Several replications use logs resampled by user (`thinktime.workloads.user_models.resample`),
the same in modes open and feedback, and one draw of users each in mode generative. A ``population`` is a number of
users per user of the log, who are then drawn evenly, even for a single replication. A ``load`` is an offered load,
reached by leaving out or copying weeks and days of users (`scale_users`).
`thinktime.analysis.modes.rankings` says how policies are ranked and compared.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Self, Unpack

import numpy as np

from thinktime.analysis.modes.calibration import calibrated, factors
from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.rankings import ComparedLog, Drawn
from thinktime.analysis.modes.user_measures import Measures, measure
from thinktime.models.machine.spec import MachineOptions, MachineSpec, spec_of
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.models.results.windowed import window_of
from thinktime.users import sources
from thinktime.users.feedback import Hours
from thinktime.users.generative import drawable, generate
from thinktime.users.log_source import LogSource
from thinktime.users.run import run
from thinktime.users.think_times import RULES
from thinktime.workloads.arrays import Whole
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.segments import split
from thinktime.workloads.shaking import SHARE, shaken
from thinktime.workloads.trace import Time, Trace
from thinktime.workloads.units import Duration, as_seconds
from thinktime.workloads.user_models import Population, Sessions, delimit, resample, scale_users

CLOSED = ("feedback", *RULES)
"""The modes in which the users of the log wait for its jobs."""
MODES = ("open", *CLOSED, "generative")
DEFAULT_MODES = ("open", "feedback")


Progress = Callable[[str, int, int], None]
"""Called before each run with its description, the number of runs done and the number of runs."""


def compare_modes(
    trace: Trace,
    policies: Mapping[str, Any],
    modes: Sequence[str] = DEFAULT_MODES,
    processors: int | None = None,
    *,
    seed: int = 0,
    replications: int = 1,
    load: float | None = None,
    population: float | None = None,
    start: Time | None = None,
    end: Time | None = None,
    measure_from: Time | None = None,
    measure_to: Time | None = None,
    shake: float | None = None,
    delimitation: str = "arrival",
    threshold: Duration | None = None,
    hours: Hours | str | None = None,
    draw: str = "samples",
    draws: int = 1,
    calibrate: Any = None,
    keep: Callable[[str, str, int, Result], None] | None = None,
    progress: Progress | None = None,
    **machine: Unpack[MachineOptions],
) -> ModeComparison:
    """Run policies (by name) in modes on one log, with common random numbers.

    ``start`` and ``end`` cut the log (`Trace.between`). ``measure_from`` and ``measure_to`` are the window of each run
    that is measured (`thinktime.models.results.windowed`), such as three quarters of the log, before it runs out.

    With one replication and neither ``load`` nor ``population``, that part is used unchanged. ``load`` is the offered
    load to reach, a fraction of the machine (`scale_users`; generative users are drawn correspondingly more or less
    often). A ``population`` is the number of users per user of the log: all occur equally often, a remainder is drawn
    at random, and each is shifted by whole weeks. So a population of 1 is not the log itself. Several replications
    without a population draw users with replacement. ``keep`` is called with the mode, the policy, the replication and
    each result. ``hours`` are those of the modes with feedback ("log": each user's own, from the replayed log);
    ``draw`` is what generative users are drawn from (`generative_users`), and ``draws`` how often in each replication.
    ``calibrate`` is the policy that made the log: all modes but the open loop are corrected by what they say of it
    (`thinktime.analysis.modes.calibration`), over ``draws`` of users or shaken logs. ``processors`` and ``machine``
    describe the machine, as in `replay`. Random failures have the seed that they were given in the first replication,
    and one more in each that follows.

    With ``shake``, the share by which times are moved (`thinktime.workloads.shaking`), replications are that many
    shaken copies of one log, with the sessions of the unshaken one, instead of other users: their spread is the chaos
    floor.
    """
    _check(modes, replications, draws)
    threshold = as_seconds("threshold", threshold)
    if load is not None and population is not None:
        raise ValueError("load and population both say how many users there are; give one of them")
    if load is not None or population is not None or (replications > 1 and shake is None):
        _check_drawn(policies)
    if calibrate is not None and (replications > 1 or not load is population is None):
        raise ValueError("drawn logs have no schedule to calibrate with; leave out the load, users and replications")
    part = trace.between(start, end)
    if not len(part):
        raise ValueError(
            f"the log has no jobs from {shortened(start or 'its start', 40)} to {shortened(end or 'its end', 40)}"
        )
    window = window_of(measure_from, measure_to, trace)
    spec = spec_of("easy", processors, machine).sized(part)
    if spec.nodes is not None:
        part = read_requests(part, spec.nodes).trace
    size = spec.processors if spec.nodes is None else spec.nodes.total()
    assert size is not None
    found: dict[str, dict[str, tuple[Measures, ...]]] = {mode: dict.fromkeys(policies, ()) for mode in modes}
    runs = {mode: draws if mode == "generative" else 1 for mode in modes}
    total, done = sum(runs.values()) * len(policies) * replications, 0
    users = drawable(part, draw, delimitation, threshold) if "generative" in modes else None
    drawn: list[Drawn] = []
    for number in range(replications):
        of = number if shake is None else 0
        log = _replicate(part, size, (seed, of), replications > 1 and shake is None, load, population)
        drawn.append(_offered(log, size))
        machine_then = spec if spec.changes is None else replace(spec, changes=spec.changes.replicated(of))
        ready = Replication(
            source=part,
            log=log,
            users=users,
            sessions=delimit(log, delimitation, threshold),
            seed=(seed, of),
            population=population if load is None else load / offered_load(part, size),
            hours=hours,
        )
        if shake is not None:
            ready = ready.shaken(shake, (seed, number), (draw, delimitation, threshold))
        for mode, (name, policy) in product(modes, policies.items()):
            for draw_number in range(runs[mode]):
                if progress:
                    progress(f"{mode}: {name}", done, total)
                result, judged = ready.measured(mode, machine_then.under(policy), window, draw_number)
                found[mode][name] += (judged,)
                if keep and not draw_number:
                    keep(mode, name, number, result)
                done += 1
    by = {} if calibrate is None else ready.calibration(modes, machine_then, calibrate, draws, window)
    for mode in by:
        found[mode] = {name: tuple(calibrated(each, by[mode]) for each in of) for name, of in found[mode].items()}
    source = ComparedLog(
        whole=len(trace),
        start=None if start is None else trace.seconds(start),
        end=None if end is None else trace.seconds(end),
        log=_offered(part, size),
        load=load,
        population=population,
        nobodys=int((part.user < 0).sum()),
        drawn=tuple(drawn),
        shake=shake,
        measured=tuple(side if np.isfinite(side) else None for side in window),
    )
    return ModeComparison(size, len(part), replications, found, draw, source, by)


def _check(modes: Sequence[str], replications: int, draws: int) -> None:
    unknown = [mode for mode in modes if mode not in MODES]
    if unknown or not modes:
        raise ValueError(f"modes are {', '.join(MODES)}, not {', '.join(map(quoted, unknown)) or 'none'}")
    if replications < 1:
        raise ValueError(f"replications must be at least 1, not {quoted(replications)}")
    if draws < 1:
        raise ValueError(f"draws of users must be at least 1, not {quoted(draws)}")


def _check_drawn(policies: Mapping[str, Any]) -> None:
    if any(Hooks(as_policy(policy)).as_recorded for policy in policies.values()):
        raise ValueError(
            "policy 'recorded' cannot schedule drawn users: the log holds no schedule of theirs; "
            "leave it out, or the load, the population and the replications"
        )


def _replicate(
    part: Trace, processors: int, seed: tuple[int, int], many: bool, load: float | None, population: float | None
) -> Trace:
    """The log of one replication, resampled if there are many."""
    if population is not None:
        return resample(part, seed, population, replace=False)
    log = resample(part, seed) if many else part
    return log if load is None else scale_users(log, load, processors, seed)[0]


def _offered(log: Trace, processors: int) -> Drawn:
    users = len(np.unique(log.user[log.user >= 0]))
    return Drawn(users, len(log), offered_load(log, processors))


@dataclass(frozen=True, slots=True)
class Replication:
    """One replication of a log, with what all modes need."""

    source: Trace
    """The log from which users are drawn."""
    log: Trace
    """The log to replay."""
    users: Population | None
    """Of the source, for the mode generative."""
    sessions: Sessions
    seed: tuple[int, int]
    population: float | None
    hours: Hours | str | None

    def shaken(self, share: float, seed: tuple[int, ...], drawn: tuple[str, str, float | None]) -> Self:
        """The same users after the times of their logs have been moved; ``drawn``: how generative ones are drawn."""
        log, source = (shaken(each, share, seed) for each in (self.log, self.source))
        users, (draw, delimitation, threshold) = self.users, drawn
        if users is not None:
            users = drawable(source, draw, delimit(self.source, delimitation, threshold).moved(source.submit))
        return replace(self, log=log, source=source, users=users, sessions=self.sessions.moved(log.submit))

    def measured(
        self, mode: str, machine: MachineSpec, window: tuple[float, float], draw: int = 0
    ) -> tuple[Result, Measures]:
        """The result of a machine in one mode, and its measures."""
        result, session = self.run(mode, machine, draw)
        whose = self.source if mode == "generative" else self.log
        return result, measure(result, session, whose, mode in CLOSED, *window)

    def calibration(
        self, modes: Sequence[str], machine: MachineSpec, policy: Any, draws: int, window: tuple[float, float]
    ) -> dict[str, dict[str, float]]:
        """What each mode is multiplied with, if this policy made the log (`thinktime.analysis.modes.calibration`)."""
        recorded, own = self.measured("open", machine.under("recorded"), window)[1], machine.under(policy)
        bare = replace(self, users=None)
        found = {}
        for mode in (each for each in modes if each != "open"):
            said = []
            for number in range(draws):
                seed = (*self.seed, number)
                ready = self if mode == "generative" else bare.shaken(SHARE, seed, ("samples", "arrival", None))
                said.append(ready.measured(mode, own, window, number)[1])
            found[mode] = factors(recorded, said)
        return found

    def run(self, mode: str, machine: MachineSpec, draw: int = 0) -> tuple[Result, Whole]:
        """The result of a machine in one mode, and the session of each of its jobs."""
        if mode == "generative":
            again = self.seed[1] > 0 and self.population is None
            population = 1.0 if self.population is None else self.population
            seed = (*self.seed, draw) if draw else self.seed
            drawn = sources.drawn(self.source, seed, population, again, users=self.users)
            return generate(machine, drawn)
        jobs: LogSource = sources.log(self.log)
        if mode in CLOSED:
            think = mode if mode in RULES else "recorded"
            jobs = sources.feedback(self.log, self.sessions, hours=self.hours, think=think)
        result, limit = run(machine, jobs), Hooks(as_policy(machine.policy)).runtime_limit
        session = self.sessions.sessions.of_job
        if limit < np.inf:  # a row for each segment
            return result, session[split(self.log, limit).originals(result["id"])]
        return result, session[np.isin(self.log.id, result["id"])]
