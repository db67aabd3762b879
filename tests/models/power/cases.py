"""What decides a schedule below a cap on power, and what it is, in whole numbers; nothing of the package."""

from dataclasses import dataclass, field
from math import inf

Time = float


@dataclass(frozen=True)
class Job:
    """A rigid job; ``power`` is what each of its processors draws, in W above idle."""

    id: int
    submit: int
    processors: int
    runtime: int
    estimate: int
    power: int
    cancel_at = None

    @property
    def watts(self) -> int:
        """What all of it draws."""
        return self.processors * self.power


@dataclass(frozen=True)
class Step:
    """A cap of ``watts`` over [start, end), known from ``announced`` on (None: always)."""

    start: int
    end: Time
    watts: int
    announced: int | None = None
    rule: str = "wait"

    @property
    def known(self) -> Time:
        return -inf if self.announced is None else self.announced


@dataclass(frozen=True)
class Case:
    """Everything that decides a schedule. ``cap`` is None where only the steps limit anything."""

    processors: int
    jobs: tuple[Job, ...]
    cap: int | None
    idle: int = 0
    steps: tuple[Step, ...] = ()
    rule: str = "easy"
    """none, no-guarantee, easy, conservative, conservative-dynamic."""
    reservations: int = 1
    """Of EASY."""
    compress: str = "completion"
    """Of conservative: completion, event, scheduled, none."""
    overrun: str = "kill"
    """kill, extend, until_needed."""

    def limit(self, time: Time, now: Time) -> float:
        """What jobs may draw together at a time, as far as is known now."""
        cap = inf if self.cap is None else self.cap
        steps = [step.watts for step in self.steps if step.known <= now and step.start <= time < step.end]
        return min([cap, *steps]) - self.idle * self.processors

    @property
    def biting(self) -> tuple[Step, ...]:
        """The steps that are below the cap; others change nothing."""
        return tuple(step for step in self.steps if self.cap is None or step.watts < self.cap)


@dataclass(frozen=True)
class Run:
    """One run of a job over [start, end)."""

    job: int
    start: int
    end: int


@dataclass
class Outcome:
    """What became of the jobs: their runs in the order of their ends, their states, first reservations, breaks."""

    runs: list[Run] = field(default_factory=list)
    states: dict[int, str] = field(default_factory=dict)
    promised: dict[int, Time] = field(default_factory=dict)
    broken: int = 0
    passes: int = 0
