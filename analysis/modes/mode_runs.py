"""Compare policies on one log in several modes: open-loop, with feedback in several ways, and with generative users.

* ``open``: jobs come at their recorded times (`thinktime.users.replay`);
* ``feedback``: users wait for the same jobs as in the log, and think as long (`replay_with_feedback`);
* ``clock``, ``reacting``, ``partly-open``: the same with think times by a rule (`thinktime.users.think_times`);
* ``calibrated``: users submit with hazards that were fitted to the log (`thinktime.calibrate`);
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

from thinktime.analysis.modes.correction import corrected, factors
from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.mode_options import Asked, LogPart, ModeOptions, WhoSubmits
from thinktime.analysis.modes.rankings import ComparedLog, Drawn
from thinktime.analysis.modes.user_measures import Measures, measure
from thinktime.models.machine.spec import MachineSpec
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.result import Result
from thinktime.users import sources
from thinktime.users.calibrated import LUCK
from thinktime.users.generative import generate
from thinktime.users.modes import source_of
from thinktime.users.run import run
from thinktime.workloads.arrays import Whole
from thinktime.workloads.calibration.calibrate import fitted_once
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.keywords import parted
from thinktime.workloads.mode_names import CALIBRATED, CLOSED, DEFAULT_MODES, GENERATIVE
from thinktime.workloads.names import former_arguments
from thinktime.workloads.node_log import read_requests
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.segments import split
from thinktime.workloads.shaking import SHARE, shaken
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import Population, Sessions

DRAWN = (CALIBRATED, GENERATIVE)
"""The modes of which several draws differ: in what hazards may be as well, and in the users that are drawn."""
Progress = Callable[[str, int, int], None]
"""Called before each run with its description, the number of runs done and the number of runs."""
Keep = Callable[[str, str, int, Result], None]
"""Called with the mode, the policy, the replication and each result."""


@former_arguments(calibrate="correct")
def compare_modes(
    trace: Trace,
    policies: Mapping[str, Any],
    modes: Sequence[str] = DEFAULT_MODES,
    processors: int | None = None,
    *,
    correct: Any = None,
    keep: Keep | None = None,
    progress: Progress | None = None,
    **options: Unpack[ModeOptions],
) -> ModeComparison:
    """Run policies (by name) in modes on one log, with common random numbers.

    ``options`` are the fields of a `LogPart` (``start``, ``end``, ``measure_from``, ``measure_to``), of `WhoSubmits`
    (``seed``, ``replications``, ``load``, ``population``, ``shake``, ``delimitation``, ``threshold``, ``hours``,
    ``draw``, ``draws``), and, with ``processors``, of a machine, as in `replay`. Random failures have the seed that
    they were given in the first replication, and one more in each that follows.

    ``correct`` is the policy that made the log: all modes but the open loop are corrected by what they say of it
    (`thinktime.analysis.modes.correction`), over ``draws`` of users or shaken logs. ``keep`` is called with the mode,
    the policy, the replication and each result.
    """
    of_log, rest = parted(options, LogPart)
    of_users, of_machine = parted(rest, WhoSubmits)
    asked = Asked(modes=tuple(modes), part=LogPart(**of_log), who=WhoSubmits(**of_users), correct=correct)
    return run_modes(trace, policies, MachineSpec(processors, **of_machine), asked, keep, progress)


def run_modes(
    trace: Trace,
    policies: Mapping[str, Any],
    machine: MachineSpec,
    asked: Asked,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> ModeComparison:
    """`compare_modes`, of what is asked as a value, on a machine whose policy is replaced."""
    modes, ran, who = asked.modes, asked.part, asked.who
    who.check(policies, asked.correct)
    part, window = ran.of(trace), ran.window(trace)
    spec = machine.sized(part)
    if spec.nodes is not None:
        part = read_requests(part, spec.nodes).trace
    size = spec.processors if spec.nodes is None else spec.nodes.total()
    assert size is not None
    found: dict[str, dict[str, tuple[Measures, ...]]] = {mode: dict.fromkeys(policies, ()) for mode in modes}
    runs = {mode: who.draws if mode in DRAWN else 1 for mode in modes}
    total, done = sum(runs.values()) * len(policies) * who.replications, 0
    users = who.drawable(part, who.sessions(part)) if GENERATIVE in modes else None
    drawn: list[Drawn] = []
    for number in range(who.replications):
        seed = who.seed_of(number)
        log = who.log(part, size, seed)
        drawn.append(_offered(log, size))
        machine = spec if spec.changes is None else replace(spec, changes=spec.changes.replicated(seed[1]))
        fitted = fitted_once(log) if CALIBRATED in modes else None
        ready = Replication(part, log, users, who.sessions(log), seed, who, who.per_user(part, size), fitted)
        if who.shake is not None:
            ready = ready.shaken(who.shake, (who.seed, number))
        for mode, (name, policy) in product(modes, policies.items()):
            for draw in range(runs[mode]):
                if progress:
                    progress(f"{mode}: {name}", done, total)
                result, judged = ready.measured(mode, machine.under(policy), window, draw)
                found[mode][name] += (judged,)
                if keep and not draw:
                    keep(mode, name, number, result)
                done += 1
    lacks = () if ready.fitted is None else ready.fitted.lacks
    by = {} if asked.correct is None else ready.correction(modes, machine, asked.correct, window)
    for mode in by:
        found[mode] = {name: tuple(corrected(each, by[mode]) for each in of) for name, of in found[mode].items()}
    source = ComparedLog(
        whole=len(trace),
        start=None if ran.start is None else trace.seconds(ran.start),
        end=None if ran.end is None else trace.seconds(ran.end),
        log=_offered(part, size),
        load=who.load,
        population=who.population,
        nobodys=int((part.user < 0).sum()),
        drawn=tuple(drawn),
        shake=who.shake,
        measured=tuple(side if np.isfinite(side) else None for side in window),
    )
    return ModeComparison(size, len(part), who.replications, found, who.draw, source, by, lacks)


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
    who: WhoSubmits
    population: float | None
    """Generative users per user of the source."""
    fitted: Users | None = None
    """The users of the log, for the mode calibrated."""

    def shaken(self, share: float, seed: tuple[int, ...]) -> Self:
        """The same users after the times of their logs have been moved."""
        log, source = (shaken(each, share, seed) for each in (self.log, self.source))
        users = self.users
        if users is not None:
            users = self.who.drawable(source, self.who.sessions(self.source).moved(source.submit))
        return replace(self, log=log, source=source, users=users, sessions=self.sessions.moved(log.submit))

    def measured(
        self, mode: str, machine: MachineSpec, window: tuple[float, float], draw: int = 0
    ) -> tuple[Result, Measures]:
        """The result of a machine in one mode, and its measures."""
        result, session = self.run(mode, machine, draw)
        whose = self.source if mode == "generative" else self.log
        return result, measure(result, session, whose, mode in CLOSED, *window)

    def correction(
        self, modes: Sequence[str], machine: MachineSpec, policy: Any, window: tuple[float, float]
    ) -> dict[str, dict[str, float]]:
        """What each mode is multiplied with, if this policy made the log (`thinktime.analysis.modes.correction`)."""
        recorded, own = self.measured("open", machine.under("recorded"), window)[1], machine.under(policy)
        bare = replace(self, users=None)
        found = {}
        for mode in (each for each in modes if each != "open"):
            said = []
            for number in range(self.who.draws):
                ready = self if mode == "generative" else bare.shaken(SHARE, (*self.seed, number))
                said.append(ready.measured(mode, own, window, number)[1])
            found[mode] = factors(recorded, said)
        return found

    def run(self, mode: str, machine: MachineSpec, draw: int = 0) -> tuple[Result, Whole]:
        """The result of a machine in one mode, and the session of each of its jobs."""
        if mode == "generative":
            again = self.seed[1] > 0 and self.population is None
            population = 1.0 if self.population is None else self.population
            seed = (*self.seed, draw) if draw else self.seed
            assert self.users is not None
            drawn = sources.drawn(self.source, seed, population, again, self.users)
            return generate(machine, drawn.with_responses(self.who.responses))
        own = (*self.seed, draw) if draw else None
        luck = LUCK[draw % len(LUCK)]
        jobs = source_of(mode, self.log, self.sessions, hours=self.who.hours, users=self.fitted, draw=own, luck=luck)
        jobs = jobs.with_responses(self.who.responses)
        result, limit = run(machine, jobs), Hooks(as_policy(machine.policy)).runtime_limit
        session = self.sessions.sessions.of_job
        if limit < np.inf:  # a row for each segment
            return result, session[split(self.log, limit).originals(result["id"])]
        return result, session[np.isin(self.log.id, result["id"])]
