"""Brute force for what the cplant paper adds to the twin: who has used how much, counted second by second.

Nothing here is clever, and nothing comes from the package. Times are whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.twin.reference import RefJob, _Simulation


@dataclass(frozen=True)
class Decay:
    """Usage is multiplied by ``factor`` at origin + k period."""

    period: int = 86_400
    factor: Fraction = Fraction(1, 2)
    origin: int = 0

    def times_between(self, after: int, until: int) -> int:
        """How often usage decays in (after, until]."""
        return (until - self.origin) // self.period - (after - self.origin) // self.period


@dataclass
class Users:
    """Who owns which job, and with what weight; a job's usage runs from its start to its end, or to now."""

    owner: Mapping[int, int]
    decay: Decay = field(default_factory=Decay)
    weights: Mapping[int, Fraction] = field(default_factory=dict)

    def usage(self, runs: Iterable[tuple[RefJob, float, float]], user: int, now: float) -> Fraction:
        """Each second of each run, as often halved as decays lie behind its end."""
        total = Fraction(0)
        for job, start, end in runs:
            if self.owner[job.id] == user:
                for second in range(int(start), int(min(end, now))):
                    decays = self.decay.times_between(second, int(now))
                    total += job.processors * self.decay.factor**decays
        return total

    def priority(self, runs: Iterable[tuple[RefJob, float, float]], user: int, now: float) -> Fraction:
        """Usage divided by weight."""
        return self.usage(runs, user, now) / self.weights.get(user, Fraction(1))


class Fairshare(_Simulation):
    """The twin's machine with the queue by decayed usage."""

    def __init__(self, jobs: Sequence[RefJob], processors: int, users: Users, **how: object) -> None:
        defaults: dict[str, object] = {
            "rule": "none", "overrun": "kill", "reservations": 1, "compress": "completion",
        }  # fmt: skip
        super().__init__(jobs, processors, order=self.key, **(defaults | how))  # type: ignore[arg-type]
        self.users = users

    def runs(self, now: float) -> list[tuple[RefJob, float, float]]:
        """What ran or runs, from when to when."""
        over = [
            (self.jobs_by_id[number], outcome.start, outcome.end)
            for number, outcome in self.outcomes.items()
            if outcome.start is not None and outcome.end is not None
        ]
        return over + [(job, self.started[job.id], now) for job in self.running]

    @property
    def jobs_by_id(self) -> dict[int, RefJob]:
        """All jobs that are known."""
        return self._by_id

    def run(self) -> None:
        """All instants."""
        self._by_id = {job.id: job for job in self.future}
        super().run()

    def key(self, job: RefJob, now: float) -> Fraction:
        """The owner's usage."""
        return self.users.priority(self.runs(now), self.users.owner[job.id], now)
