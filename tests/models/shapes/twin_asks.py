"""What evolving jobs ask of the brute-force twin: when they do, and what they get.

An evolving job asks for a size at each of some shares of its work, or rather at the first time on the grid by which so
much is done, unless it ends by then. What it needs no more it gives back at once, behind the completions; its work then
stands still for its ``cost``. If it needs more, it gets it in the resizing step, before anybody shrinks for the head or
grows, if there are places for it until its new end, also where it has them already, beside the reservations that those
who grow must not delay. If not, it goes on as it is; or, if it insists, its work and its limit stand still until it
gets it.

**Where the contract is silent**, this is what was decided:

* Those that ask at one time do so by the start of their runs, then by id; who has waited for longer comes first.
* Nobody shrinks for the head, and nobody grows, in a round in which somebody gets what he asks for.
* A gap and a notice are nothing to a job that asks.
* When a job that waits will end is known to nobody: it is expected to hold what it has for ever. That it begins to wait
  calls for a sweep of the next conservative pass, as a resize does.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.models.shapes.twin_room import has

if TYPE_CHECKING:
    from tests.models.shapes.twin import Hold, Twin
    from tests.models.shapes.twin_jobs import Run


def asked_before(run: Run) -> int:
    """How many asks of a run that begins are over, since earlier runs have done so much, but for a step of the grid."""
    return sum(run.seconds_to(each) == 0 for each in run.job.asks) if run.work < run.job.whole else 0


def ask(machine: Twin, now: Fraction) -> None:
    """Those that ask now give back what they need no more, or are noted."""
    for run in sorted(machine.running, key=lambda run: (run.start, run.job.id)):
        place = machine.running.index(run)
        while run.asks_next() <= now:
            wanted = run.job.asks[run.asked]
            run = replace(run, asked=run.asked + 1)
            if wanted.size < run.size:
                run = run.given_back(wanted.size, now)
                machine.freed = True
            elif wanted.size > run.size:
                if wanted.insists:
                    run = replace(run.passed(now), waits_for=wanted.size)
                    machine.freed = True
                machine.asking.append((run.job.id, wanted))
        machine.running[place] = run
    machine.running = [run if run.waits_for is None else replace(run, flows=now) for run in machine.running]


def grant(machine: Twin, booked: list[Hold], now: Fraction) -> bool:
    """Those that ask get what they ask for, if there is room for it for long enough; whether some have."""
    granted, waiting = False, []
    for number, wanted in machine.asking:
        run = next((run for run in machine.running if run.job.id == number), None)
        if run is None:
            continue
        profile, job = machine.profile(), run.job
        profile.holds += booked
        before, end = run.expected_at(now), run.given(wanted.size, now).expected_at(now)
        count, held = job.pieces(wanted.size - run.size), machine.room.held(job.piece, run.places)
        lasts = end <= before or has(profile.free(before, end), held)
        profile.holds.append((before, max(before, end), held))
        places = machine.room.place(job.piece, count, profile.free(now, end), run.places) if lasts else None
        if places is not None:
            machine.grow(run, wanted.size, now, places)
            granted = True
        elif wanted.insists:
            waiting.append((number, wanted))
    machine.asking = waiting
    return granted
