"""What becomes of jobs in the brute-force twin when processors of a pool, or nodes, are down for some time.

At one time, behind the completions, what is repaired comes back, and then what fails is lost. A malleable job that has
lost some of its places goes on with the largest size that it may have on the others, keeps the first of these, and
stands still for its ``cost``. If there is no such size, or if the job is of another kind or is shrinking already, it
goes back to its place in the queue, and loses what it has done in its stage, since a resize counts as a checkpoint.

Policies do not know what will fail, and take what is down to stay down, unless they are ``told``. If they are not, a
repair calls for a sweep of the next conservative pass.

**Where the contract is silent**, this is what was decided:

* A job that stands still already does so for its whole cost from the loss on.
* A loss is a resize as far as the gap is concerned.
* A job that runs again with less than a second of its limit left is planned, and may run, for a second at first. What
  it has left is counted from the limit itself as soon as it is resized.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.models.shapes.twin_room import NEVER, Amounts, more

if TYPE_CHECKING:
    from tests.models.shapes.twin import Twin
    from tests.models.shapes.twin_jobs import Run

NOTHING, LEAST = Fraction(0), Fraction(1)
"""No time, and the least for which a run is planned, s."""


@dataclass(frozen=True)
class Outage:
    """A processor of a pool, or a node, is down."""

    begin: Fraction
    end: Fraction
    place: int
    told: bool
    """Whether policies know its end once it has begun."""

    @property
    def expected_end(self) -> Fraction:
        """When policies think that it ends."""
        return self.end if self.told else NEVER


def down(machine: Twin, now: Fraction) -> list[Outage]:
    """The outages at a time."""
    return [outage for outage in machine.outages if outage.begin <= now < outage.end]


def lost_at(machine: Twin, now: Fraction) -> Amounts:
    """What there is less than if everything were up."""
    amounts: Amounts = (0,) * len(machine.room.whole)
    for outage in down(machine, now):
        amounts = more(amounts, machine.room.of_place(outage.place))
    return amounts


def fail(machine: Twin, now: Fraction) -> None:
    """What was repaired has come back, and jobs lose what goes down now."""
    machine.freed = machine.freed or any(each.end == now and not each.told for each in machine.outages)
    gone = {outage.place for outage in machine.outages if outage.begin == now}
    for run in [run for run in machine.running if gone & set(run.places)]:
        left = tuple(place for place in run.places if place not in gone)
        size = max((size for size in run.job.sizes if run.job.pieces(size) <= len(left)), default=None)
        if run.job.kind == "malleable" and run.to is None and size is not None:
            machine.replace(run, lessened(run, size, left[: run.job.pieces(size)], now))
        else:
            requeue(machine, run, now)
    machine.failed = bool(gone)


def lessened(run: Run, size: int, places: tuple[int, ...], now: Fraction) -> Run:
    """A run that goes on with what is left."""
    run = run.passed(now) if run.flows < now else run
    return run.next_stage(now, decided=now, size=size, places=places, flows=now + run.job.cost)


def requeue(machine: Twin, run: Run, now: Fraction) -> None:
    """A run is over, and its job waits again, with what was left at the beginning of the stage."""
    machine.running.remove(run)
    machine.asking = [each for each in machine.asking if each[0] != run.job.id]
    over = run.until(now)
    machine.before[run.job.id] = over.stages, over.was_on
    machine.queue.append(
        replace(run.job, work=run.safe[0], limit=max(run.safe[1], LEAST), beyond=max(LEAST - run.safe[1], NOTHING))
    )
    machine.queue.sort(key=lambda job: (job.submit, job.id))
    machine.freed = True
