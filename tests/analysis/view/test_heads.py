"""Who is said to have been first in the queue, and its shadow time, are what the machine says while it runs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis.view.heads import NO_JOB, heads
from thinktime.models.jobs.view import View
from thinktime.models.results.result import Result

EASY = "easy:order=fcfs,reservations=1"
PROCESSORS = 5
JOB = st.tuples(st.integers(0, 12), st.integers(1, 9), st.integers(1, PROCESSORS), st.integers(0, 6))


class Watched:
    """FCFS or EASY, written by what a policy is shown; it keeps the head and its shadow time after each pass."""

    def __init__(self, backfills: bool) -> None:
        self.backfills = backfills
        self.seen: list[tuple[float, int, float]] = []

    def __call__(self, view: View, now: float) -> Iterator[Any]:
        """Start the jobs of a pass."""
        free, ends = view.free, [(job.expected_end, job.processors) for job in view.running]
        queue = list(view.queue)
        while queue and queue[0].processors <= free:
            job = queue.pop(0)
            free -= job.processors
            ends.append((now + job.estimate, job.processors))
            yield job
        if not queue:
            return
        head, room, shadow = queue[0], free, now
        for end, size in sorted(ends):
            if room >= head.processors:
                break
            room, shadow = room + size, end
        # Processors that the head leaves at its shadow time, of all jobs that are over by then.
        extra = free + sum(size for end, size in ends if end <= shadow) - head.processors
        for job in queue[1:] if self.backfills else []:
            if job.processors <= free and (now + job.estimate <= shadow or job.processors <= extra):
                free, extra = free - job.processors, extra - (job.processors if now + job.estimate > shadow else 0)
                yield job
        self.seen.append((now, head.id, shadow))


@given(st.lists(JOB, min_size=1, max_size=14), st.booleans())
def test_the_head_and_its_shadow_time_are_those_of_the_last_pass(jobs: list[tuple[int, ...]], backfills: bool) -> None:
    """The same schedule as the package's rule, and for each job what was seen at the last pass before its start."""
    submit, runtime, size, more = (np.array(column, float) for column in zip(*sorted(jobs), strict=True))
    log = tt.Trace({"submit": submit, "runtime": runtime, "allocated": size, "requested_time": runtime + more})
    policy, name = Watched(backfills), EASY if backfills else "none:order=fcfs"
    own, known = tt.replay(log, policy, PROCESSORS), tt.replay(log, "easy" if backfills else "fcfs", PROCESSORS)
    assert known.policy == name
    np.testing.assert_array_equal(own["start"], known["start"])
    found = heads(known)
    for row in range(len(known)):
        before = [each for each in policy.seen if known["submit"][row] <= each[0] < known["start"][row]]
        if not before:
            assert found.head[row] == NO_JOB and np.isnan(found.shadow[row])
        else:
            _, head, shadow = before[-1]
            assert (known["id"][found.head[row]], found.shadow[row]) == (head, shadow)


@pytest.mark.parametrize("policy", ["easy:order=sjf,reservations=1", "conservative:order=fcfs", "mine", "slurm"])
def test_of_other_rules_nothing_is_said(odd: Result, policy: str) -> None:
    """Their queue is in another order, or they do not go by their head."""
    found = heads(replace(odd, policy=policy))
    assert (found.head == NO_JOB).all() and np.isnan(found.shadow).all()


def test_nothing_is_said_where_policies_plan_with_predictions() -> None:
    """The shadow time would be that of other estimates."""
    log = tt.Trace({"submit": [0, 1, 2], "runtime": [5, 5, 5], "allocated": [2, 2, 2], "requested_time": [9, 9, 9]})
    assert heads(tt.replay(log, "easy", 2)).head.tolist() == [NO_JOB, 1, 2]
    assert (heads(tt.replay(log, "easy", 2, estimates="exact")).head == NO_JOB).all()


def test_jobs_that_left_or_were_refused_are_nobodys_head(odd: Result, empty: Result) -> None:
    """Beside limits of a site nothing is said; and no shadow time of a head that had room, or beside an overrun job."""
    assert (heads(replace(odd, policy=EASY)).head == NO_JOB).all()
    columns = {name: column for name, column in odd.columns.items() if name != "reason"}
    found = heads(replace(odd, policy=EASY, columns=columns))
    assert found.head.tolist() == [-1, 1, -1, 3, 4, -1, 6, 6]
    assert found.shadow[1] == 20.0 and np.isnan(found.shadow[found.head != 1]).all()
    assert heads(replace(empty, policy=EASY)).head.tolist() == []
