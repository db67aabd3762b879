"""What a comparison of modes is told beside the machine: the modes, the part of the log that is run, who submits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thinktime.models.machine.spec import MachineOptions
from thinktime.models.policies import as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.results.windowed import window_of
from thinktime.users.feedback import Hours
from thinktime.users.generative import drawable
from thinktime.workloads.mode_names import DEFAULT_MODES, MODES
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.offered_load import offered_load
from thinktime.workloads.trace import Time, Trace
from thinktime.workloads.units import Duration
from thinktime.workloads.user_models import Population, Sessions, delimit, resample, scale_users


class ModeOptions(MachineOptions, total=False):
    """The fields of `LogPart`, of `WhoSubmits` and of a machine, as keyword arguments."""

    start: Time | None
    end: Time | None
    measure_from: Time | None
    measure_to: Time | None
    seed: int
    replications: int
    load: float | None
    population: float | None
    shake: float | None
    delimitation: str
    threshold: Duration | None
    hours: Hours | str | None
    draw: str
    draws: int
    responses: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    """The part of a log that is run, and the window of each run that is measured."""

    start: Time | None = None
    end: Time | None = None
    """Where the log is cut (`Trace.between`)."""
    measure_from: Time | None = None
    measure_to: Time | None = None
    """The window (`thinktime.models.results.windowed`), such as three quarters of the log, before it runs out."""

    def of(self, trace: Trace) -> Trace:
        """The jobs that are run; ``ValueError`` if there are none."""
        part = trace.between(self.start, self.end)
        if not len(part):
            first, last = self.start or "its start", self.end or "its end"
            raise ValueError(f"the log has no jobs from {shortened(first, 40)} to {shortened(last, 40)}")
        return part

    def window(self, trace: Trace) -> tuple[float, float]:
        """The window in s, infinite where it has no end."""
        return window_of(self.measure_from, self.measure_to, trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoSubmits:
    """The users of each replication, and how they are read out of the log.

    With one replication and neither ``load`` nor ``population``, they are those of the log. Several replications
    without a population draw users with replacement, unless they are shaken.
    """

    seed: int = 0
    replications: int = 1
    load: float | None = None
    """The offered load to reach, a fraction of the machine (`scale_users`); generative users are drawn correspondingly
    more or less often."""
    population: float | None = None
    """Users per user of the log: all occur equally often, a remainder is drawn at random, and each is shifted by whole
    weeks. So a population of 1 is not the log itself."""
    shake: float | None = None
    """The share by which times are moved (`thinktime.workloads.shaking`). Replications are then that many shaken copies
    of one log, with the sessions of the unshaken one, instead of other users: their spread is the chaos floor."""
    delimitation: str = "arrival"
    threshold: Duration | None = None
    """What ends a session (`delimit`)."""
    hours: Hours | str | None = None
    """Those of the modes with feedback ("log": each user's own, from the replayed log)."""
    draw: str = "samples"
    """What generative users are drawn from (`generative_users`)."""
    draws: int = 1
    """How often generative users are drawn in each replication."""
    responses: Any = ()
    """How users respond as their jobs are due (`thinktime.users.log_users.Respondents`)."""

    def __post_init__(self) -> None:
        if self.replications < 1:
            raise ValueError(f"replications must be at least 1, not {quoted(self.replications)}")
        if self.draws < 1:
            raise ValueError(f"draws of users must be at least 1, not {quoted(self.draws)}")
        if self.load is not None and self.population is not None:
            raise ValueError("load and population both say how many users there are; give one of them")

    def check(self, policies: Mapping[str, Any], correct: Any) -> None:
        """``ValueError`` if users are drawn where the log's schedule is needed."""
        scaled = self.load is not None or self.population is not None
        if (scaled or self.redrawn) and any(Hooks(as_policy(policy)).as_recorded for policy in policies.values()):
            raise ValueError(
                "policy 'recorded' cannot schedule drawn users: the log holds no schedule of theirs; "
                "leave it out, or the load, the population and the replications"
            )
        if correct is not None and (self.replications > 1 or scaled):
            raise ValueError("drawn logs have no schedule to correct by; leave out the load, users and replications")

    @property
    def redrawn(self) -> bool:
        """Whether each replication has users of its own."""
        return self.replications > 1 and self.shake is None

    def seed_of(self, number: int) -> tuple[int, int]:
        """The seed of the users of a replication: shaken logs all have the same."""
        return self.seed, number if self.shake is None else 0

    def log(self, part: Trace, processors: int, seed: tuple[int, int]) -> Trace:
        """The jobs of the users of a replication with this seed."""
        if self.population is not None:
            return resample(part, seed, self.population, replace=False)
        log = resample(part, seed) if self.redrawn else part
        return log if self.load is None else scale_users(log, self.load, processors, seed)[0]

    def per_user(self, part: Trace, processors: int) -> float | None:
        """How many generative users there are per user of the log, if that is said."""
        return self.population if self.load is None else self.load / offered_load(part, processors)

    def sessions(self, log: Trace) -> Sessions:
        """The sessions of a log."""
        return delimit(log, self.delimitation, self.threshold)

    def drawable(self, log: Trace, sessions: Sessions) -> Population:
        """The users of a log with these sessions, to be drawn from."""
        return drawable(log, self.draw, sessions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is compared: modes, on a part of a log, with these users."""

    modes: tuple[str, ...] = DEFAULT_MODES
    part: LogPart = LogPart()
    who: WhoSubmits = WhoSubmits()
    correct: Any = None
    """The policy that made the log, if other modes than the open loop are corrected by what they say of it."""

    def __post_init__(self) -> None:
        unknown = [mode for mode in self.modes if mode not in MODES]
        if unknown or not self.modes:
            raise ValueError(f"modes are {', '.join(MODES)}, not {', '.join(map(quoted, unknown)) or 'none'}")
