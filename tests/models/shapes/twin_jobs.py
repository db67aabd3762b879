"""What a job of the brute-force twin of moldable and malleable jobs does with a size.

**A run.** On n processors, work passes at ``rate[n]`` s per s, and the limit at ``believed[n]``. It ends when its
work is done, or is killed when its limit is used up, whichever is first. A resize stops its work for ``cost``; a
shrink goes on for ``notice`` before, and gives its processors back at the end of both.

A job that ``extends`` is not killed. Once its limit is used up, it is expected to run for a second more; and from a
second before that on it is resized no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any

from tests.models.shapes.twin_room import ANYWHERE, NEVER, Piece, Places

Stage = tuple[Fraction, Fraction, int]


def on_grid(seconds: Fraction) -> Fraction:
    """The nearest multiple of 2^-10 s, upwards from the middle."""
    return Fraction(floor(1024 * seconds + Fraction(1, 2)), 1024)


@dataclass(frozen=True)
class Ask:
    """A size at a share of the work."""

    share: Fraction
    size: int
    insists: bool = False


@dataclass(frozen=True)
class Job:
    """A job; ``rate`` and ``believed`` say for each of ``sizes`` how fast work, and the limit, pass."""

    id: int
    submit: Fraction
    work: Fraction
    limit: Fraction
    sizes: tuple[int, ...]
    preferred: int
    kind: str
    rate: dict[int, Fraction]
    believed: dict[int, Fraction]
    cost: Fraction = Fraction(0)
    gap: Fraction = Fraction(0)
    notice: Fraction = Fraction(0)
    piece: Piece = ANYWHERE
    asks: tuple[Ask, ...] = ()
    whole: Fraction = Fraction(0)
    """All of its work, of which some may be done when it waits again."""
    beyond: Fraction = Fraction(0)
    """How much of ``limit`` is not left of it, but added to plan for so long."""
    extends: bool = False

    @property
    def grace(self) -> int:
        """For how long from now on it is expected to run at least, s."""
        return 1 if self.extends else 0

    def pieces(self, size: int) -> int:
        """How many pieces so many processors are."""
        return size // self.piece.processors

    def estimate(self, size: int) -> Fraction:
        """How long it may run on so many processors."""
        return on_grid(self.limit / self.believed[size])

    def next_size(self, size: int, step: int) -> int | None:
        """The next larger (1) or smaller (-1) size that it may have."""
        place = self.sizes.index(size) + step
        return self.sizes[place] if 0 <= place < len(self.sizes) else None


@dataclass(frozen=True)
class Run:
    """A job that runs: its stage since ``since``, and what is left from ``flows`` on, when its work passes again."""

    job: Job
    start: Fraction
    size: int
    places: Places
    since: Fraction
    flows: Fraction
    work: Fraction
    limit: Fraction
    decided: Fraction | None = None
    """When its last resize was decided."""
    to: int | None = None
    """The size of a shrink under way."""
    halts: Fraction = Fraction(0)
    effect: Fraction = Fraction(0)
    safe: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    """The work and the limit that were left when the stage began."""
    beyond: Fraction = Fraction(0)
    """How much of ``limit`` is not left of it."""
    asked: int = 0
    """How many of its asks are over."""
    waits_for: int | None = None
    """The size without which it does not go on."""
    stages: tuple[Stage, ...] = ()
    was_on: tuple[Places, ...] = ()
    """Its places in each of these stages."""

    def kept(self) -> Places:
        """What it will have once the shrink under way has taken effect."""
        return self.places if self.to is None else self.places[: self.job.pieces(self.to)]

    def _used_up(self, left: Fraction, rate: dict[int, Fraction]) -> Fraction:
        end = self.flows + on_grid(max(Fraction(0), left) / rate[self.size])
        if self.to is None or end <= self.halts:
            return end
        left -= rate[self.size] * (self.halts - self.flows)
        return self.effect + on_grid(left / rate[self.to])

    def expected_end(self) -> Fraction:
        """When its limit will be used up, as far as is known."""
        return self._used_up(self.limit, self.job.believed) if self.waits_for is None else NEVER

    def expected_at(self, now: Fraction) -> Fraction:
        """When it is expected to end at a time."""
        return max(self.expected_end(), now + self.job.grace)

    def work_end(self) -> Fraction:
        """When its work will be done."""
        return self._used_up(self.work, self.job.rate) if self.waits_for is None else NEVER

    def end(self) -> Fraction:
        """When it ends if it is not resized again."""
        return self.work_end() if self.job.extends else min(self.work_end(), self.expected_end())

    def asks_next(self) -> Fraction:
        """When it asks for another size, unless it ends by then."""
        if self.waits_for is not None or self.asked == len(self.job.asks):
            return NEVER
        time = self.flows + self.seconds_to(self.job.asks[self.asked])
        return time if time < self.end() else NEVER

    def seconds_to(self, ask: Ask) -> Fraction:
        """How long it works until it asks for something."""
        left = self.work - (1 - ask.share) * self.job.whole
        return on_grid(max(Fraction(0), left) / self.job.rate[self.size])

    def may_be_resized(self, now: Fraction) -> bool:
        """Whether a resize may be decided now."""
        if self.job.kind != "malleable" or self.to is not None or now < self.flows:
            return False
        if self.expected_end() <= now + self.job.grace:
            return False
        return self.decided is None or (now > self.decided and now >= self.decided + self.job.gap)

    def at_once(self) -> bool:
        """Whether its shrinks take effect at once."""
        return self.job.notice == self.job.cost == 0

    def resized(self, size: int, now: Fraction, others: Places = ()) -> Run:
        """The run once it has been decided that it has another size, with other places if it grows."""
        assert self.may_be_resized(now)
        assert size in self.job.sizes
        assert size != self.size
        if size > self.size:
            return self.given(size, now, others)
        job, run = self.job, replace(self.passed(now), decided=now)
        run = replace(run, to=size, halts=now + job.notice, effect=now + job.notice + job.cost)
        return run.shrunk() if self.at_once() else run

    def given(self, size: int, now: Fraction, others: Places = ()) -> Run:
        """The run once it has grown."""
        run = replace(self.passed(now), waits_for=None, decided=now)
        return run.next_stage(now, size=size, places=self.places + others, flows=now + self.job.cost)

    def given_back(self, size: int, now: Fraction) -> Run:
        """The run once it has given back what it needs no more."""
        kept = self.places[: self.job.pieces(size)]
        return self.passed(now).next_stage(now, size=size, places=kept, flows=now + self.job.cost)

    def shrunk(self) -> Run:
        """The run once the shrink under way has taken effect."""
        at, size = self.effect, self.to
        assert size is not None
        run = self.passed(self.halts)
        return run.next_stage(at, size=size, flows=at, to=None, places=self.kept())

    def next_stage(self, now: Fraction, **other: Any) -> Run:
        """The run in a stage that begins now, with what is different in it."""
        left = self.limit - self.beyond
        return replace(self.until(now), since=now, limit=left, beyond=Fraction(0), safe=(self.work, left), **other)

    def passed(self, now: Fraction) -> Run:
        """What is left of it now, in a stage in which work has passed since ``flows``."""
        seconds, rate, believed = now - self.flows, self.job.rate[self.size], self.job.believed[self.size]
        left = self.limit - self.beyond - seconds * believed
        return replace(self, flows=now, work=self.work - seconds * rate, limit=left, beyond=Fraction(0))

    def until(self, now: Fraction) -> Run:
        """The run if its present stage ends now."""
        if now <= self.since:
            return self
        stages = (*self.stages, (self.since, now, self.size))
        return replace(self, stages=stages, was_on=(*self.was_on, self.places))
