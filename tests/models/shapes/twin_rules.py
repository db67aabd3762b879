"""What the brute-force twin of moldable and malleable jobs decides in a round: sizes, starts and resizes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tests.models.shapes import twin_asks, twin_losses
from tests.models.shapes.twin_room import NEVER, has, least, less

if TYPE_CHECKING:
    from tests.models.shapes.twin import Hold, Profile, Twin
    from tests.models.shapes.twin_jobs import Job, Run
    from tests.models.shapes.twin_room import Amounts, Places

Sizes = dict[int, int]
Starts = list[tuple["Job", "Places"]]


def decide(machine: Twin, now: Fraction) -> bool:
    """All decisions of a round; whether a shrink took effect at once."""
    if machine.options.share != "none":
        return share(machine, now)
    sizes = choose(machine, now)
    if machine.options.base == "conservative":
        conservative_pass(machine, sizes, now)
    else:
        for job, places in chosen(machine, sizes, now):
            machine.start(job, sizes[job.id], now, places)
    machine.freed = machine.failed = False
    if machine.asking and twin_asks.grant(machine, reservations(machine, sizes, now), now):
        return False
    shrinks = shrink_for_head(machine, sizes, now)
    for run, size in shrinks:
        machine.resize(run, size, now)
    if not shrinks:
        expand(machine, sizes, now)
    return any(run.at_once() for run, _ in shrinks)


def largest(sizes: tuple[int, ...], most: Fraction | int) -> int | None:
    """The largest of the sizes that is not above a number."""
    return max((size for size in sizes if size <= most), default=None)


# -- the size of waiting jobs --------------------------------------------------------------------------------


def choose(machine: Twin, now: Fraction) -> Sizes:
    """The size of each waiting job in this round."""
    how, queue = machine.options.size, machine.queue
    if how == "largest":
        return largest_that_start(machine)
    if how == "earliest":
        return least_ends(machine, now)
    return {job.id: fixed_size(job, how) for job in queue}


def fixed_size(job: Job, how: str) -> int:
    """The size that is known at submission."""
    low, high = job.sizes[0], job.sizes[-1]
    if how == "average":
        size = largest(job.sizes, Fraction(low + high, 2))
        assert size is not None
        return size
    return {"preferred": job.preferred, "min": low, "max": high}[how]


def largest_that_start(machine: Twin) -> Sizes:
    """As large as what the jobs before leave of what is idle."""
    sizes, left, blocked = {}, machine.idle(), False
    for job in machine.queue:
        size, places = (None, ()) if blocked else largest_with_places(machine, job, left, job.sizes[-1])
        sizes[job.id] = job.sizes[0] if size is None else size
        left = less(left, machine.room.held(job.piece, places))
        blocked = blocked or (size is None and machine.options.base == "none")
    return sizes


def largest_with_places(machine: Twin, job: Job, free: Amounts, most: int) -> tuple[int | None, Places]:
    """The largest size up to one for which there is room, and where."""
    for size in reversed(job.sizes):
        places = machine.room.place(job.piece, job.pieces(size), free) if size <= most else None
        if places is not None:
            return size, places
    return None, ()


def least_ends(machine: Twin, now: Fraction) -> Sizes:
    """Where each job would end first, booked one after the other (Cirne)."""
    sizes, profile = {}, machine.profile()
    for job in machine.queue:
        fits = {size: profile.earliest(now, job, size) for size in job.sizes}
        size = min(job.sizes, key=lambda n: (min(fits[n][0] + job.estimate(n), NEVER), n))
        sizes[job.id] = size
        profile.book(fits[size][0], job, size, fits[size][1])
    return sizes


# -- the base rules ------------------------------------------------------------------------------------------


def chosen(machine: Twin, sizes: Sizes, now: Fraction) -> Starts:
    """The jobs that a rule without memory starts, and where."""
    base = machine.options.base
    if base == "easy":
        return backfilled(machine, sizes, now)
    starts: Starts = []
    profile = machine.profile()
    for job in machine.queue:
        size = sizes[job.id]
        places = profile.place(now, job, size)
        if places is not None:
            starts.append((job, places))
            profile.book(now, job, size, places)
        elif base == "none":
            break
        elif base == "conservative-dynamic":
            begin, places = profile.earliest(now, job, size)
            profile.book(begin, job, size, places)
    return starts


def backfilled(machine: Twin, sizes: Sizes, now: Fraction) -> Starts:
    """Jobs up to the first that has no place (the head), and those behind it that leave it one at its shadow time."""
    room, profile, starts, head = machine.room, machine.profile(), [], None
    shadow, later = now, room.whole
    for job in machine.queue:
        size = sizes[job.id]
        places = room.place(job.piece, job.pieces(size), profile.free(now, now))
        if places is None:
            if head is None:
                head = job
                shadow, own = profile.earliest(now, job, size)
                later = profile.free(shadow, shadow)
            continue
        if head is not None and now + job.estimate(size) > shadow:
            count = head.pieces(sizes[head.id])
            if room.place(head.piece, count, less(later, room.held(job.piece, places))) is None:
                beside = less(later, room.held(head.piece, own))
                places = room.place(job.piece, job.pieces(size), least(profile.free(now, now), beside))
                if places is None:
                    continue
            later = less(later, room.held(job.piece, places))
            own = room.place(head.piece, count, later)
            assert own is not None
        starts.append((job, places))
        profile.book(now, job, size, places)
    return starts


def with_reservations(machine: Twin, sizes: Sizes, but: Job | None = None) -> Profile:
    """The profile of the running jobs and of the reservations that are kept."""
    profile = machine.profile()
    for job in machine.queue:
        if job.id in machine.reserved and job != but:
            begin, places = machine.reserved[job.id]
            profile.book(begin, job, sizes[job.id], places)
    return profile


def conservative_pass(machine: Twin, sizes: Sizes, now: Fraction) -> None:
    """Sweep if something was freed, place the newcomers, start what is due.

    A reservation is broken if it falls due while an evolving job waits, and holds what it needs; it is then made anew.
    """
    if machine.failed:
        restore(machine, sizes, now)
    for job in machine.queue:
        known = machine.reserved.get(job.id)
        if known is not None and not machine.freed and known[0] < NEVER:
            continue
        fit = with_reservations(machine, sizes, but=job).earliest(now, job, sizes[job.id])
        if known is None or fit[0] < known[0]:
            machine.reserved[job.id] = fit
        machine.promised.setdefault(job.id, fit[0])
    for job in list(machine.queue):
        for _ in range(2):
            begin, places = machine.reserved[job.id]
            if begin > now:
                break
            if has(machine.idle(), machine.room.held(job.piece, places)):
                machine.start(job, sizes[job.id], now, places)
                break
            machine.reserved[job.id] = with_reservations(machine, sizes, but=job).earliest(now, job, sizes[job.id])


def restore(machine: Twin, sizes: Sizes, now: Fraction) -> None:
    """After an outage has begun, reservations are kept that still fit, in queue order; others are made anew."""
    before, machine.reserved = machine.reserved, {}
    for job in machine.queue:
        begin, places = before.get(job.id, (NEVER, ()))
        free = with_reservations(machine, sizes).free(begin, begin + job.estimate(sizes[job.id]))
        if begin < NEVER and has(free, machine.room.held(job.piece, places)):
            machine.reserved[job.id] = begin, places
    for job in machine.queue:
        if job.id not in machine.reserved and (job.id in before or job.id in machine.before):
            machine.reserved[job.id] = with_reservations(machine, sizes).earliest(now, job, sizes[job.id])


# -- the resizing step ---------------------------------------------------------------------------------------


def slope(run: Run, step: int) -> Fraction:
    """What a processor more (1), or one less (-1), is believed to change."""
    other, believed = run.job.next_size(run.size, step), run.job.believed
    assert other is not None
    return (believed[other] - believed[run.size]) / (other - run.size)


def in_order(runs: list[Run], order: str) -> list[Run]:
    """Who is to be resized first."""
    keys = {
        "oldest": lambda run: (run.start, run.job.id),
        "smallest": lambda run: (run.size, run.start, run.job.id),
        "best": lambda run: (-slope(run, 1), run.start, run.job.id),
        "latest": lambda run: (-run.start, -run.job.id),
        "largest": lambda run: (-run.size, -run.start, -run.job.id),
        "least": lambda run: (slope(run, -1), -run.start, -run.job.id),
    }
    return sorted(runs, key=keys[order])


def shrink_for_head(machine: Twin, sizes: Sizes, now: Fraction) -> list[tuple[Run, int]]:
    """The runs to be shrunk, and to what, so that the first waiting job may start."""
    options = machine.options
    if options.shrink == "none" or not machine.queue:
        return []
    head = machine.queue[0]

    def fits(free: Amounts) -> bool:
        return machine.room.place(head.piece, head.pieces(sizes[head.id]), free) is not None

    if fits(machine.idle()) or fits(machine.idle_later()):
        return []
    floor = {run.job.id: run.job.sizes[0] if options.to == "min" else run.job.preferred for run in machine.running}
    able = [run for run in machine.running if run.may_be_resized(now) and run.size > floor[run.job.id]]
    able = [run for run in able if now + run.job.notice + run.job.cost < run.expected_end()]
    before, shrinks, enough = list(machine.running), [], False
    for run in in_order(able, options.shrink):
        place, size, other = machine.running.index(run), run.size, run
        while not enough and (smaller := run.job.next_size(size, -1)) is not None and smaller >= floor[run.job.id]:
            size, other = smaller, run.resized(smaller, now)
            machine.running[place] = other
            enough = fits(machine.idle_later())
        if options.base == "conservative":
            machine.running[place] = run
            if not may_stay(machine, sizes, run, other):
                enough = False
                continue
            machine.running[place] = other
        shrinks.append((run, size))
        if enough:
            break
    machine.running = before
    return shrinks if enough else []


def may_stay(machine: Twin, sizes: Sizes, run: Run, other: Run) -> bool:
    """Whether a run may go on to its later end, beside the reservations that are kept for waiting jobs."""
    now = machine.now
    end, later = run.expected_at(now), other.expected_at(now)
    free = with_reservations(machine, sizes).free(end, later)
    return end == later or has(free, machine.room.held(run.job.piece, other.kept()))


def expand(machine: Twin, sizes: Sizes, now: Fraction) -> None:
    """Give what is idle to running jobs, beside the reservations."""
    options, room = machine.options, machine.room
    if options.expand == "none" or not any(machine.idle()[::2]):
        return
    booked = reservations(machine, sizes, now)
    able = [run for run in machine.running if run.may_be_resized(now) and run.size < run.job.sizes[-1]]
    for run in in_order(able, options.expand):
        profile, job = machine.profile(), run.job
        profile.holds += booked
        for size in reversed(job.sizes):
            if size <= run.size:
                break
            end = run.resized(size, now).expected_at(now)
            places = room.place(job.piece, job.pieces(size - run.size), profile.free(now, end), run.places)
            if end < run.expected_end() and places is not None:
                machine.resize(run, size, now, places)
                break


def reservations(machine: Twin, sizes: Sizes, now: Fraction) -> list[Hold]:
    """What is kept for waiting jobs while running ones grow."""
    base, profile = machine.options.base, machine.profile()
    if base == "conservative":
        return with_reservations(machine, sizes).holds[len(profile.holds) :]
    count = {"none": 1, "easy": 1, "no-guarantee": 0, "conservative-dynamic": len(machine.queue)}[base]
    runs = len(profile.holds)
    for job in machine.queue[:count]:
        begin, places = profile.earliest(now, job, sizes[job.id])
        profile.book(begin, job, sizes[job.id], places)
    return profile.holds[runs:]


# -- equal shares and the common pool ------------------------------------------------------------------------


def share(machine: Twin, now: Fraction) -> bool:
    """A round under ``share``; whether a shrink took effect at once."""
    runs, admitted, targets = find_targets(machine, now)
    shrinks = [run for run in runs if targets[run.job.id] < run.size]
    smaller = {run.job.id: targets[run.job.id] for run in shrinks}
    if any(run.at_once() for run in shrinks):
        for run in shrinks:
            machine.resize(run, smaller[run.job.id], now)
        return True
    for job in admitted:
        size, places = largest_with_places(machine, job, machine.idle(), targets[job.id])
        if size is None:
            break
        machine.start(job, size, now, places)
    _, _, targets = find_targets(machine, now)
    for run in shrinks:
        machine.resize(run, smaller[run.job.id], now)
    twin_asks.grant(machine, [], now)
    for run in in_order(machine.running, "oldest"):
        if run.job.id in targets and run.may_be_resized(now):
            for size in reversed(run.job.sizes):
                if not run.size < size <= targets[run.job.id]:
                    continue
                count = run.job.pieces(size - run.size)
                places = machine.room.place(run.job.piece, count, machine.idle(), run.places)
                if places is not None:
                    if run.resized(size, now).expected_at(now) < run.expected_end():
                        machine.resize(run, size, now, places)
                    break
    return False


def find_targets(machine: Twin, now: Fraction) -> tuple[list[Run], list[Job], Sizes]:
    """The runs that may be resized, the jobs that are admitted, and the size that each of both should have."""
    runs = [run for run in in_order(machine.running, "oldest") if run.may_be_resized(now)]
    lost = sum(twin_losses.lost_at(machine, now)[::2])
    budget = machine.room.processors - lost - sum(run.size for run in machine.running if run not in runs)
    budget -= sum(run.job.sizes[0] for run in runs)
    admitted: list[Job] = []
    for job in machine.queue:
        if job.sizes[0] > budget:
            break
        budget -= job.sizes[0]
        admitted.append(job)
    jobs = [run.job for run in runs] + admitted
    targets = {job.id: job.sizes[0] for job in jobs}
    if machine.options.share == "equal":
        while True:
            steps = []
            for job in jobs:
                size = job.next_size(targets[job.id], 1)
                if size is not None and size - targets[job.id] <= budget:
                    steps.append((job, size))
            if not steps:
                break
            job, size = min(steps, key=lambda step: targets[step[0].id])
            budget -= size - targets[job.id]
            targets[job.id] = size
    else:
        for preferred in (True, False):
            for job in jobs:
                most = min(targets[job.id] + budget, job.preferred if preferred else job.sizes[-1])
                size = largest(job.sizes, most)
                if size is not None and size > targets[job.id]:
                    budget -= size - targets[job.id]
                    targets[job.id] = size
    return runs, admitted, targets
