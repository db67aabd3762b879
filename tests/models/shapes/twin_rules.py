"""What the brute-force twin of moldable and malleable jobs decides in a round: sizes, starts and resizes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.models.shapes.twin import Job, Profile, Run, Twin

Sizes = dict[int, int]


def decide(machine: Twin, now: Fraction) -> bool:
    """All decisions of a round; whether a shrink took effect at once."""
    if machine.options.share != "none":
        return share(machine, now)
    sizes = choose(machine, now)
    if machine.options.base == "conservative":
        conservative_pass(machine, sizes, now)
    else:
        for job in chosen(machine, sizes, now):
            machine.start(job, sizes[job.id], now)
    machine.freed = False
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
    """As large as what is left of the idle processors by the jobs before."""
    sizes, left, blocked = {}, machine.idle(), False
    for job in machine.queue:
        size = None if blocked else largest(job.sizes, left)
        sizes[job.id] = job.sizes[0] if size is None else size
        left -= size or 0
        blocked = blocked or (size is None and machine.options.base == "none")
    return sizes


def least_ends(machine: Twin, now: Fraction) -> Sizes:
    """Where each job would end first, booked one after the other (Cirne)."""
    sizes, profile = {}, machine.profile()
    for job in machine.queue:
        begins = {size: profile.earliest(now, size, job.estimate(size)) for size in job.sizes}
        size = min(job.sizes, key=lambda n: (begins[n] + job.estimate(n), n))
        sizes[job.id] = size
        profile.book(begins[size], size, job.estimate(size))
    return sizes


# -- the base rules ------------------------------------------------------------------------------------------


def chosen(machine: Twin, sizes: Sizes, now: Fraction) -> list[Job]:
    """The jobs that a rule without memory starts."""
    base, starts = machine.options.base, []
    reservations = {"none": 0, "no-guarantee": 0, "easy": 1, "conservative-dynamic": len(machine.queue)}[base]
    profile, idle = machine.profile(), machine.idle()
    for job in machine.queue:
        size = sizes[job.id]
        seconds = job.estimate(size)
        if size <= idle and (base in ("none", "no-guarantee") or profile.free(now, now + seconds) >= size):
            starts.append(job)
            idle -= size
            profile.book(now, size, seconds)
        elif base == "none":
            break
        elif reservations > 0:
            reservations -= 1
            profile.book(profile.earliest(now, size, seconds), size, seconds)
    return starts


def with_reservations(machine: Twin, sizes: Sizes, but: Job | None = None) -> Profile:
    """The profile of the running jobs and of the reservations that are kept."""
    profile = machine.profile()
    for job in machine.queue:
        if job.id in machine.reserved and job != but:
            profile.book(machine.reserved[job.id], sizes[job.id], job.estimate(sizes[job.id]))
    return profile


def conservative_pass(machine: Twin, sizes: Sizes, now: Fraction) -> None:
    """Sweep if something was freed, place the newcomers, start what is due."""
    for job in machine.queue:
        known = job.id in machine.reserved
        if known and not machine.freed:
            continue
        size = sizes[job.id]
        fit = with_reservations(machine, sizes, but=job).earliest(now, size, job.estimate(size))
        machine.reserved[job.id] = min(fit, machine.reserved.get(job.id, fit))
        machine.promised.setdefault(job.id, machine.reserved[job.id])
    for job in [job for job in machine.queue if machine.reserved[job.id] <= now]:
        machine.start(job, sizes[job.id], now)


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
    need = sizes[machine.queue[0].id] - machine.idle()
    missing = need - sum(run.size - run.to for run in machine.running if run.to is not None)
    if need <= 0 or missing <= 0:
        return []
    floor = {run.job.id: run.job.sizes[0] if options.to == "min" else run.job.preferred for run in machine.running}
    able = [run for run in machine.running if run.may_be_resized(now) and run.size > floor[run.job.id]]
    able = [run for run in able if now + run.job.notice + run.job.cost < run.expected_end()]
    before, shrinks = list(machine.running), []
    for run in in_order(able, options.shrink):
        allowed = [size for size in run.job.sizes if floor[run.job.id] <= size < run.size]
        size = max((size for size in allowed if run.size - size >= missing), default=min(allowed))
        other = run.resized(size, now)
        if options.base == "conservative" and not may_stay(machine, sizes, run, other):
            continue
        machine.running[machine.running.index(run)] = other
        shrinks.append((run, size))
        missing -= run.size - size
        if missing <= 0:
            break
    machine.running = before
    return shrinks if missing <= 0 else []


def may_stay(machine: Twin, sizes: Sizes, run: Run, other: Run) -> bool:
    """Whether what a run would hold beyond its expected end, once shrunk, is reserved for nobody."""
    profile, end = with_reservations(machine, sizes), run.expected_end()
    return profile.free(end, other.expected_end()) >= (other.size if other.to is None else other.to)


def expand(machine: Twin, sizes: Sizes, now: Fraction) -> None:
    """Give idle processors to running jobs, beside the reservations."""
    options = machine.options
    if options.expand == "none" or machine.idle() <= 0:
        return
    booked = reservations(machine, sizes, now)
    able = [run for run in machine.running if run.may_be_resized(now) and run.size < run.job.sizes[-1]]
    for run in in_order(able, options.expand):
        profile = machine.profile()
        profile.holds += booked
        for size in reversed(run.job.sizes):
            more = size - run.size
            if not 0 < more <= machine.idle():
                continue
            end = run.resized(size, now).expected_end()
            if end < run.expected_end() and profile.free(now, end) >= more:
                machine.resize(run, size, now)
                break


def reservations(machine: Twin, sizes: Sizes, now: Fraction) -> list[tuple[Fraction, Fraction, int]]:
    """What is kept for waiting jobs while running ones grow."""
    base, profile = machine.options.base, machine.profile()
    if base == "conservative":
        return with_reservations(machine, sizes).holds[len(profile.holds) :]
    count = {"none": 1, "easy": 1, "no-guarantee": 0, "conservative-dynamic": len(machine.queue)}[base]
    runs = len(profile.holds)
    for job in machine.queue[:count]:
        size = sizes[job.id]
        profile.book(profile.earliest(now, size, job.estimate(size)), size, job.estimate(size))
    return profile.holds[runs:]


# -- equal shares and the common pool ------------------------------------------------------------------------


def share(machine: Twin, now: Fraction) -> bool:
    """A round under ``share``; whether a shrink took effect at once."""
    runs, admitted, targets = find_targets(machine, now)
    shrinks = [run for run in runs if targets[run.job.id] < run.size]
    for run in shrinks:
        machine.resize(run, targets[run.job.id], now)
    if any(run.at_once() for run in shrinks):
        return True
    for job in admitted:
        size = largest(job.sizes, min(targets[job.id], machine.idle()))
        if size is None:
            break
        machine.start(job, size, now)
    for run in in_order(machine.running, "oldest"):
        if run.job.id in targets and run.may_be_resized(now):
            size = largest(run.job.sizes, min(targets[run.job.id], run.size + machine.idle()))
            assert size is not None
            if size > run.size and run.resized(size, now).expected_end() < run.expected_end():
                machine.resize(run, size, now)
    return False


def find_targets(machine: Twin, now: Fraction) -> tuple[list[Run], list[Job], Sizes]:
    """The runs that may be resized, the jobs that are admitted, and the size that each of both should have."""
    runs = [run for run in in_order(machine.running, "oldest") if run.may_be_resized(now)]
    budget = machine.processors - sum(run.size for run in machine.running if run not in runs)
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
