"""Lemma 1: by how much idle area the real schedule may exceed the virtual one, by hand and against the twin."""

from fractions import Fraction

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.policies.ostrich.exact import Exact
from tests.models.policies.ostrich.instances import populations
from tests.models.policies.ostrich.package import Run
from thinktime.analysis.papers.ostrich.figures import example
from thinktime.analysis.papers.ostrich.idle_areas import idle_areas
from thinktime.models.results.result import Result


def schedule(starts, runs, users, submits, processors):
    """A result of sequential jobs that start at these times."""
    starts = np.array(starts, float)
    return Result.from_columns(
        {"submit": submits, "start": starts, "end": starts + runs, "processors": [1] * len(starts), "user": users},
        processors,
        names={"user": ["ann", "bob"]},
    )


def twins_excess(twin, processors):
    """The largest excess of idle area, from the twin's own V and starts, in fractions, at every moment it may be."""
    jobs = [job for campaign in twin.campaigns for job in campaign.jobs]
    first, last = min(job.start for job in jobs), max(job.start for job in jobs)
    busy = [(begin, end) for begin, end, rates in twin.virtual.pieces if rates]
    times = {first, last} | {time for job in jobs for time in (job.start, job.end)} | {t for p in busy for t in p}

    def worked(spans, time):
        return sum((max(Fraction(0), min(end, time) - begin) for begin, end in spans), Fraction(0))

    held = [(job.start, job.end) for job in jobs]
    return max(processors * worked(busy, time) - worked(held, time) for time in sorted(times) if first <= time <= last)


def test_in_the_papers_example_r_never_falls_behind():
    """In the paper's example the real schedule never idles while the virtual one works."""
    found = idle_areas(example())
    assert (found.real, found.virtual, found.largest, found.bound) == (0, 0, 0, 18)
    assert not found.broken


def test_idle_areas_by_hand():
    """On 2 processors with 4 s at 0 and 1 s at 3, the real schedule is 2 behind at 2."""
    found = idle_areas(schedule([0, 3], [4, 1], [0, 1], [0, 3], 2))
    assert (found.real, found.virtual, found.largest, found.bound) == (3, 2, 2, 8)
    assert found.share == 0.25


def test_a_schedule_that_leaves_a_processor_idle_breaks_it():
    """Ten jobs of 4 s one after the other on 2 processors are 20 behind, where 8 are allowed."""
    found = idle_areas(schedule(range(0, 40, 4), [4] * 10, [0] * 10, [0] * 10, 2))
    assert (found.largest, found.bound, found.broken) == (20, 8, True)
    assert found.real - found.virtual == 36 - 32, "at the latest start alone nothing would be seen"
    kept = idle_areas(schedule(np.repeat(range(0, 20, 4), 2), [4] * 10, [0] * 10, [0] * 10, 2))
    assert (kept.largest, kept.broken) == (0, False)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(2, 8), populations(shortest=1))
def test_the_largest_excess_is_the_twins(processors, users):
    """The largest excess of the package's schedule is the twin's in fractions."""
    twin = Exact(processors, users)
    found = idle_areas(Run(processors, users).result)
    assert found.largest == pytest.approx(float(twins_excess(twin, processors)), abs=0.05 * processors)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(1, 8),
    populations(shortest=1),
    st.sampled_from(["ostrich", "ostrich:within=spt", "ostrich:within=fcfs", "ostrich:held_back=no"]),
)
def test_ostrich_keeps_it(processors, users, policy):
    """Under OStrich with sequential jobs and exact estimates, R is never more than (m - 1) p_max behind."""
    found = idle_areas(Run(processors, users, policy).result)
    assert not found.broken
    assert found.largest <= found.bound * (processors - 1) / processors + processors * 2**-8


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(4, 8), st.integers(1, 3))
def test_a_policy_that_uses_one_processor_is_found(processors, many):
    """A policy that uses one processor breaks the bound, and OStrich on the same jobs does not."""

    def one_at_a_time(view, now):
        if view.free == view.capacity and len(view.queue):
            yield view.queue[0]

    def run(policy):
        jobs = [tt.Job(user=user, processors=1, runtime=5) for user in ("a", "b") for _ in range(processors * many * 2)]
        env = simpy.Environment()
        machine = tt.Machine(env, processors, policy)
        for job in jobs:
            machine.submit(job)
        env.run()
        return idle_areas(machine.result())

    assert run(one_at_a_time).broken
    assert not run("ostrich").broken


def test_nothing_started():
    """A schedule without starts has areas of 0 and no share of a bound of 0."""
    empty = Result.from_columns({"submit": [], "start": [], "end": [], "processors": []}, 4)
    found = idle_areas(empty)
    assert tuple(found) == (0, 0, 0, 0) and np.isnan(found.share) and not found.broken
