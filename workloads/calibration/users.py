"""The users of a log, as they were fitted: what `thinktime.calibrate` gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration.beyond import WORDS, Beyond
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import REACTING
from thinktime.workloads.calibration.fitted import LARGEST, FittedUsers, bounded
from thinktime.workloads.calibration.posterior import UserClass, stacked
from thinktime.workloads.calibration.withdrawals import Withdrawals
from thinktime.workloads.streams import Seed, stream
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models.sessions import owners

MOST = 24
"""So many draws are kept, since the next policy is given the same ones."""


class _Given(NamedTuple):
    """What was given for a log, by luck and seed."""

    trace: Trace
    of: dict[tuple[str, Any], FittedUsers]


_GIVEN: WeakKeyDictionary["Users", _Given] = WeakKeyDictionary()
"""What was given last, by users."""


class Score(NamedTuple):
    """How well a model foretold the last third of the log."""

    nats: float
    """The mean logarithm of the probability density (1/s) of a gap between batches."""
    error: float
    """Its standard error against the chosen model, over users."""


@dataclass(frozen=True, eq=False)
class Users:
    """Users fitted to a log.

    `of` gives what a replay of the log takes (`thinktime.users.sources.calibrated` asks for it). With a seed, hazards
    are drawn as they may be as well, given what the log says.

    >>> import thinktime as tt
    >>> submit = [3600.0 * hour for hour in (0, 2, 3, 7, 9, 10, 12, 24, 25, 30, 31, 36)]
    >>> columns = {"submit": submit, "runtime": [600] * 12, "wait": [0] * 12, "allocated": [1] * 12, "user": [7] * 12}
    >>> log = tt.Trace(columns)
    >>> users = tt.calibrate(log, score=False)
    >>> isinstance(users, tt.Users), len(users.classes)
    (True, 1)
    """

    BEYOND: ClassVar[Mapping[str, str]] = WORDS
    """What users may do that the model lacks, in words, by name (`lacks`)."""
    names: Whole
    """The users' numbers in the log, ascending; jobs without a user are users of their own and not among them."""
    class_of: Whole
    """The class of each user."""
    classes: tuple[UserClass, ...]
    waits: Flags
    """By user and whether one, or more, batches are outstanding: who submits nothing then."""
    calendar: Calendar
    clockwork: Flags
    """Which users submit at equal intervals."""
    withdrawals: Withdrawals | None = None
    jobs: int = 0
    gaps: int = 0
    evidence: Mapping[str, float] = field(default_factory=dict)
    """The logarithm of the probability of the log: blind, reacting, or some of each."""
    scores: Mapping[str, Score] = field(default_factory=dict)
    """Of the models that are told beside each other, on the log's last third; empty if nothing was held out."""
    residuals: Floats = field(default_factory=lambda: np.empty(0))
    """The residuals of the gaps that were held out."""
    rescaled: tuple[float, float] = (float("nan"), float("nan"))
    """Kolmogorov and Smirnov's distance of the held-out residuals from an exponential distribution, and its p-value."""
    beyond: Mapping[str, Beyond] = field(default_factory=dict)
    """What users do that the model does not explain (`thinktime.workloads.calibration.beyond`), clear or not."""

    @property
    def reacts(self) -> Flags:
        """Which users may look at results."""
        return np.array([each.structure is REACTING for each in self.classes])[self.class_of]

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the log clearly shows of its users that the model does not explain, by name."""
        return tuple(name for name, each in self.beyond.items() if each.clear)

    def of(self, trace: Trace, seed: Seed | None = None, luck: str = "kept") -> FittedUsers:
        """What a replay of a log takes, which is the one that they were fitted to, or one of the same users.

        With a ``seed``, hazards are drawn from what they may be as well, given the log (the posterior). Users who were
        not seen have the mean level of the largest class, and wait if most of it do. What is given for a log is kept
        for the next calls, but for no more than `MOST` seeds.
        """
        given = _GIVEN.get(self)
        if given is None or given.trace is not trace:
            _GIVEN[self] = given = _Given(trace, {})
        key = luck, tuple(seed) if isinstance(seed, Sequence) else seed
        if key not in given.of:
            if len(given.of) > MOST:
                del given.of[next(iter(given.of))]
            given.of[key] = self._of(trace, seed, luck)
        return given.of[key]

    def _of(self, trace: Trace, seed: Seed | None, luck: str) -> FittedUsers:
        given: list[tuple[Floats | None, Floats]] = [(None, each.levels) for each in self.classes]
        if seed is not None:
            given = [each.drawn(stream(seed, "posterior", str(at))) for at, each in enumerate(self.classes)]
        owner = owners(trace)
        user = np.full(int(owner.max(initial=-1)) + 1, -1, np.int64)
        user[owner] = trace.user
        place = np.minimum(np.searchsorted(self.names, user), len(self.names) - 1)
        known = (self.names[place] == user) & (user >= 0)
        usual = int(np.bincount(self.class_of, minlength=len(self.classes)).argmax())
        waits = np.where(known[:, None], self.waits[place], self.waits[self.class_of == usual].mean(axis=0) > 0.5)
        level = [
            each.level(waits, np.where(known[:, None], of[place], 0.0))
            for each, (_, of) in zip(self.classes, given, strict=True)
        ]
        patience = None
        if (gone := self.withdrawals) is not None:
            of_log = replace(gone, level=np.where(known, gone.level[place], 0.0))
            patience = of_log.patience(trace, owner, 0 if seed is None else seed, kept=luck == "kept")
        return FittedUsers(
            tables=bounded(stacked([each.tables(of) for each, (of, _) in zip(self.classes, given, strict=True)])),
            class_of=np.where(known, self.class_of[place], usual),
            level=np.minimum(np.concatenate(level, axis=1), LARGEST),
            calendar=self.calendar if known.all() and len(trace) == self.jobs else Calendar.of_log(trace),
            patience=patience,
            clockwork=known & self.clockwork[place],
            lacks=self.lacks,
        )
