"""The profile of processors against a plain list of what is free at t = 0, 1, 2, …, and for ever after.

Times are whole numbers up to ``END``, so sampling loses nothing; the list's last entry stands for the rest of
time.
"""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.models.engine import profile
from thinktime.models.engine.codes import profile as codes
from thinktime.models.engine.profile import Profile

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


def begun(now, free):
    """A profile of one step."""
    steps = Profile()
    steps.begin(now, 1)
    steps.free[0] = free
    return steps


def bytes_of(steps):
    """All that a profile says."""
    return np.asarray(steps.times)[: steps.n].tobytes(), np.asarray(steps.free)[: steps.n].tobytes()


def sampled(steps, now=0):
    """What is free from ``now`` on, sampled; the form of the steps is checked as well."""
    times, free = np.asarray(steps.times)[: steps.n].tolist(), np.asarray(steps.free)[: steps.n].tolist()
    assert times[0] == now
    assert all(a < b for a, b in pairwise(times))
    assert all(a != b for a, b in pairwise(free))
    return [
        next(f for a, f in zip(reversed(times), reversed(free), strict=True) if a <= t) for t in range(now, END + 1)
    ]


def both(edits, free=CAPACITY):
    """The same changes made to both kinds of profile."""
    steps, twin = begun(0.0, free), Sampled(free)
    for start, end, delta in edits:
        steps.change(float(start), float(end), delta)
        twin.change(start, end, delta)
    return steps, twin


@given(changes)
def test_change_adds_on_an_interval(edits):
    """A change adds to what is free on [start, end), splits and joins steps, and leaves the rest alone."""
    steps, twin = both(edits)
    assert sampled(steps) == twin.free


@given(changes, moments, ends, st.integers(1, 3))
def test_change_can_be_taken_back(edits, start, end, delta):
    """Reserving and giving back leaves the very same steps."""
    steps, _ = both(edits)
    before = bytes_of(steps)
    steps.change(float(start), float(end), -delta)
    steps.change(float(start), float(end), delta)
    assert bytes_of(steps) == before


@given(changes, moments)
def test_advance_forgets_the_past_only(edits, now):
    """Advancing to a time keeps everything from that time on."""
    steps, twin = both(edits)
    steps.advance(float(now))
    assert sampled(steps, now) == twin.free[now:]


@given(changes, st.floats(-END, END))
def test_locate_finds_the_step_of_a_time(edits, time):
    """The step of a time is the last one that starts at or before it; what is past is in the first one."""
    steps, _ = both(edits)
    expected = sum(t <= time for t in np.asarray(steps.times)[: steps.n].tolist()) - 1
    assert steps.locate(time) == max(expected, 0)


@given(changes, moments, moments, ends, needs, durations)
def test_the_past_is_no_more_than_the_present(edits, now, begin, end, need, duration):
    """A change, or a question, that begins before the first step begins with it; one that is over does nothing."""
    steps, twin = both(edits)
    steps.advance(float(now))
    steps.change(float(begin), float(end), -need)
    twin.change(max(begin, now), end, -need)
    assert sampled(steps, now) == twin.free[now:]
    until = min(begin + duration, END + 1)
    fitting = all(free >= need for t, free in enumerate(twin.free) if max(begin, now) <= t < until)
    assert steps.fits_at(need, float(begin), float(duration)) == fitting


@settings(max_examples=300)
@given(changes, needs, durations)
def test_earliest_fit(edits, need, duration):
    """The earliest fit is the first time at which the processors are free for the whole duration."""
    steps, twin = both(edits)
    assert steps.earliest_fit(need, float(duration)) == twin.earliest(0, duration, need)


@settings(max_examples=300)
@given(changes, moments, needs, durations)
def test_earliest_fit_from_now_on(edits, now, need, duration):
    """The earliest fit never lies before the present."""
    steps, twin = both(edits)
    steps.advance(float(now))
    assert steps.earliest_fit(need, float(duration)) == twin.earliest(now, duration, need)


@settings(max_examples=500)
@given(changes, needs, durations, *[st.one_of(moments, st.just(INFINITY))] * 2)
def test_earlier_fit_leaves_the_own_reservation_out(edits, need, duration, reserved, reach):
    """A job that holds a reservation finds what it would find without it, if that is earlier and before ``reach``."""
    steps, twin = both(edits)
    fit = twin.earliest(0, duration, need)  # without the reservation
    if reserved < INFINITY:
        steps.change(float(reserved), float(reserved + duration), -need)
    found = steps.earlier_fit(float(reserved), need, float(duration), -INFINITY, float(reach))
    assert found == (min(fit, reserved) if fit < reach else reserved)


@settings(max_examples=1000)
@given(st.randoms(use_true_random=False), st.integers(10, 40), st.integers(0, 20))
def test_notes_of_a_sweep_hide_no_earlier_fit(random, jobs, ended):
    """With the notes of a sweep, each job finds what it finds without them, whatever has moved before."""
    steps, tried = begun(0.0, 40), np.zeros(codes.NOTES)
    size = [(random.randint(1, 30), float(random.randint(1, 60))) for _ in range(jobs)]
    begin = []
    for need, duration in size:
        begin.append(steps.earliest_fit(need, duration))
        steps.change(begin[-1], begin[-1] + duration, -need)
    for job in random.sample(range(jobs // 2), min(ended, jobs // 2)):
        steps.change(begin[job], begin[job] + size[job][1], size[job][0])
        begin[job] = 0.0
    for job in random.sample(range(jobs), jobs):
        (need, duration), reserved = size[job], begin[job]
        if reserved > 0:
            found = steps.earlier_fit(reserved, need, duration, -INFINITY, INFINITY)
            since = profile.no_fit_before(reserved, need, duration, tried)
            assert found >= min(since, reserved)
            assert found == steps.earlier_fit(reserved, need, duration, since, INFINITY)
            profile.note_tried(need, duration, found, tried)
            if found < reserved:
                profile.note_given(max(reserved, found + duration), tried)
                steps.change(reserved, reserved + duration, need)
                steps.change(found, found + duration, -need)


@settings(max_examples=300)
@given(changes, moments, needs, durations)
def test_fits_now(edits, now, need, duration):
    """A job fits now if its processors are free from now on for the whole duration."""
    steps, twin = both(edits)
    steps.advance(float(now))
    assert steps.fits_now(need, float(duration)) == twin.room(now, duration, need)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(ends, needs), max_size=10), st.integers(0, 10), st.integers(0, 8), st.sampled_from([0, 1]),
    st.integers(0, CAPACITY),
)  # fmt: skip
def test_running_jobs_give_back_processors_at_expected_ends(running, skip, now, grace, free_now):
    """The profile of running jobs: each frees its processors at its expected end, not before now + grace."""
    running.sort()
    skip = min(skip, len(running))
    expected_end = np.array([float(end) for end, _ in running])
    processors = np.array([need for _, need in running], np.int64)
    steps = begun(float(now), free_now)
    steps.add_ends(float(grace), processors, np.arange(len(running)), skip, expected_end)
    assert sampled(steps, now) == [
        free_now + sum(need for end, need in running[skip:] if max(end, now + grace) <= t) for t in range(now, END + 1)
    ]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda steps: pickle.loads(pickle.dumps(steps))])
def test_a_copy_is_independent(copied):
    """A deep copy says the same, and what changes afterwards changes one of them only."""
    steps, _ = both([(1, 5, -2), (3, 9, -1)])
    twin = copied(steps)
    assert bytes_of(twin) == bytes_of(steps)
    before = bytes_of(twin)
    steps.change(2.0, 4.0, -1)
    assert bytes_of(twin) == before != bytes_of(steps)
    assert all(hasattr(twin, name) for name in (*Profile.FIELDS, *Profile.NUMBERS))


def test_a_profile_grows_by_itself():
    """A profile has room for as many steps as it needs, and keeps those that it had."""
    steps = begun(0.0, 1000)
    for i in range(500):
        steps.change(float(i), INFINITY, -1)
    assert np.asarray(steps.times)[: steps.n].tolist() == list(range(500))
    assert np.asarray(steps.free)[: steps.n].tolist() == list(range(999, 499, -1))
