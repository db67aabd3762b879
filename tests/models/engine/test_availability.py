"""The profile of processors against a plain list of what is free at t = 0, 1, 2, …, and for ever after.

Times are whole numbers up to ``END``, so sampling loses nothing; the list's last entry stands for the rest of
time.
"""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.models.engine import availability

END = 24
INFINITY = float("inf")
CAPACITY = 6

moments = st.integers(0, END - 1)
ends = st.one_of(st.integers(1, END), st.just(INFINITY))
durations = st.one_of(st.integers(1, END), st.just(INFINITY))
needs = st.integers(1, CAPACITY)
changes = st.lists(st.tuples(moments, ends, st.integers(-3, 3).filter(bool)), max_size=12)


class Sampled:
    """A profile as a list."""

    def __init__(self, free):
        self.free = [free] * (END + 1)

    def change(self, start, end, delta):
        for t in range(END + 1):
            if start <= t and (t < end):
                self.free[t] += delta

    def room(self, t, duration, need):
        """Whether ``need`` are free on [t, t + duration)."""
        last = END if t + duration > END else int(t + duration) - 1
        return all(free >= need for free in self.free[t : last + 1])

    def earliest(self, now, duration, need):
        """The first whole time with room; room begins where something ends, so no other can be first."""
        return next((t for t in range(now, END + 1) if self.room(t, duration, need)), INFINITY)


class Steps:
    """A profile as the engine holds it."""

    def __init__(self, now, free, size=64):
        self.times, self.free = np.full(size, np.nan), np.full(size, -99, np.int64)
        self.times[0], self.free[0], self.n = now, free, 1

    def change(self, start, end, delta):
        self.n = availability.change(float(start), float(end), delta, self.times, self.free, self.n)

    def sampled(self, now=0):
        """What is free from ``now`` on, sampled; the form of the steps is checked as well."""
        times, free = self.times[: self.n].tolist(), self.free[: self.n].tolist()
        assert times[0] == now
        assert all(a < b for a, b in pairwise(times))
        assert all(a != b for a, b in pairwise(free))
        return [
            next(f for a, f in zip(reversed(times), reversed(free), strict=True) if a <= t) for t in range(now, END + 1)
        ]

    @property
    def arrays(self):
        return self.times, self.free, self.n


def both(edits, free=CAPACITY):
    """The same changes made to both kinds of profile."""
    steps, twin = Steps(0.0, free), Sampled(free)
    for start, end, delta in edits:
        steps.change(start, end, delta)
        twin.change(start, end, delta)
    return steps, twin


@given(changes)
def test_change_adds_on_an_interval(edits):
    """A change adds to what is free on [start, end), splits and joins steps, and leaves the rest alone."""
    steps, twin = both(edits)
    assert steps.sampled() == twin.free


@given(changes, moments, ends, st.integers(1, 3))
def test_change_can_be_taken_back(edits, start, end, delta):
    """Reserving and giving back leaves the very same steps."""
    steps, _ = both(edits)
    before = (steps.n, steps.times[: steps.n].tobytes(), steps.free[: steps.n].tobytes())
    steps.change(start, end, -delta)
    steps.change(start, end, delta)
    assert (steps.n, steps.times[: steps.n].tobytes(), steps.free[: steps.n].tobytes()) == before


@given(changes, moments)
def test_advance_forgets_the_past_only(edits, now):
    """Advancing to a time keeps everything from that time on."""
    steps, twin = both(edits)
    steps.n = availability.advance(float(now), *steps.arrays)
    assert steps.sampled(now) == twin.free[now:]


@given(changes, st.floats(0, END))
def test_locate_finds_the_step_of_a_time(edits, time):
    """The step of a time is the last one that starts at or before it."""
    steps, _ = both(edits)
    expected = sum(t <= time for t in steps.times[: steps.n].tolist()) - 1
    assert availability.locate(time, steps.times, steps.n) == expected


@settings(max_examples=300)
@given(changes, needs, durations)
def test_earliest_fit(edits, need, duration):
    """The earliest fit is the first time at which the processors are free for the whole duration."""
    steps, twin = both(edits)
    assert availability.earliest_fit(need, float(duration), *steps.arrays) == twin.earliest(0, duration, need)


@settings(max_examples=300)
@given(changes, moments, needs, durations)
def test_earliest_fit_from_now_on(edits, now, need, duration):
    """The earliest fit never lies before the present."""
    steps, twin = both(edits)
    steps.n = availability.advance(float(now), *steps.arrays)
    assert availability.earliest_fit(need, float(duration), *steps.arrays) == twin.earliest(now, duration, need)


@settings(max_examples=500)
@given(changes, needs, durations, *[st.one_of(moments, st.just(INFINITY))] * 2)
def test_earlier_fit_leaves_the_own_reservation_out(edits, need, duration, reserved, reach):
    """A job that holds a reservation finds what it would find without it, if that is earlier and before ``reach``."""
    steps, twin = both(edits)
    fit = twin.earliest(0, duration, need)  # without the reservation
    if reserved < INFINITY:
        steps.change(reserved, reserved + duration, -need)
    found = availability.earlier_fit(float(reserved), need, float(duration), -INFINITY, float(reach), *steps.arrays)
    assert found == (min(fit, reserved) if fit < reach else reserved)


@settings(max_examples=1000)
@given(st.randoms(use_true_random=False), st.integers(10, 40), st.integers(0, 20))
def test_notes_of_a_sweep_hide_no_earlier_fit(random, jobs, ended):
    """With the notes of a sweep, each job finds what it finds without them, whatever has moved before."""
    steps, tried = Steps(0.0, 40, size=4 * jobs + 8), np.zeros(1 + 4 * 4)
    size = [(random.randint(1, 30), float(random.randint(1, 60))) for _ in range(jobs)]
    begin = []
    for need, duration in size:
        begin.append(availability.earliest_fit(need, duration, *steps.arrays))
        steps.change(begin[-1], begin[-1] + duration, -need)
    for job in random.sample(range(jobs // 2), min(ended, jobs // 2)):
        steps.change(begin[job], begin[job] + size[job][1], size[job][0])
        begin[job] = 0.0
    for job in random.sample(range(jobs), jobs):
        (need, duration), reserved = size[job], begin[job]
        if reserved > 0:
            found = availability.earlier_fit(reserved, need, duration, -INFINITY, INFINITY, *steps.arrays)
            since = availability.no_fit_before(reserved, need, duration, tried)
            assert found >= min(since, reserved)
            assert found == availability.earlier_fit(reserved, need, duration, since, INFINITY, *steps.arrays)
            availability.note_tried(need, duration, found, tried)
            if found < reserved:
                availability.note_given(max(reserved, found + duration), tried)
                steps.change(reserved, reserved + duration, need)
                steps.change(found, found + duration, -need)


@settings(max_examples=300)
@given(changes, moments, needs, durations)
def test_fits_now(edits, now, need, duration):
    """A job fits now if its processors are free from now on for the whole duration."""
    steps, twin = both(edits)
    steps.n = availability.advance(float(now), *steps.arrays)
    assert availability.fits_now(need, float(duration), *steps.arrays) == twin.room(now, duration, need)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(ends, needs), max_size=10),
    st.integers(0, 10),
    st.integers(0, 8),
    st.sampled_from([0, 1]),
    st.integers(0, CAPACITY),
)
def test_build_frees_processors_at_expected_ends(running, skip, now, grace, free_now):
    """The profile of running jobs: each frees its processors at its expected end, not before now + grace."""
    running.sort()
    skip = min(skip, len(running))
    expected_end = np.array([float(end) for end, _ in running])
    processors = np.array([need for _, need in running], np.int64)
    steps = Steps(0.0, 0)
    steps.n = availability.build(
        float(now),
        float(grace),
        free_now,
        processors,
        np.arange(len(running)),
        skip,
        expected_end,
        steps.times,
        steps.free,
    )
    assert steps.sampled(now) == [
        free_now + sum(need for end, need in running[skip:] if max(end, now + grace) <= t) for t in range(now, END + 1)
    ]
