"""The brute-force Slurm starts jobs when and where a real Slurm did."""

from __future__ import annotations

import pytest

from tests.models.policies.slurm.case import Case, Outcome
from tests.models.policies.slurm.measured import CONFIGURED, Ran, case_of, measured
from tests.models.policies.slurm.twin import twin

STEP = 1
"""Seconds from an event to the start that it allows, at most."""
APART = 2
"""Seconds between a start of the twin and the real one, at most, unless more than two late starts add up."""


@pytest.mark.parametrize("run", sorted(CONFIGURED))
def test_nodes_are_those_of_the_real_one(run: str) -> None:
    """Each job is on the same nodes."""
    assert {job: start and start.nodes for job, start in twin(case_of(run)).items()} == {
        job: ran.nodes for job, ran in measured(run).items()
    }


@pytest.mark.parametrize("run", sorted(set(CONFIGURED) - {"t02_builtin"}))
def test_starts_are_those_of_the_real_one(run: str) -> None:
    """Each job starts within two seconds of the real start, and not after it."""
    starts = twin(case_of(run))
    late = {job: ran.start - start.time for job, ran in measured(run).items() if (start := starts[job]) is not None}
    assert len(late) == len(starts)
    assert all(0 <= seconds <= APART for seconds in late.values()), late


@pytest.mark.parametrize("run", sorted(CONFIGURED))
def test_starts_are_a_second_after_their_cause(run: str) -> None:
    """The real job starts at most a second after what lets it start in the twin has happened in the real one."""
    case = case_of(run)
    starts, real = twin(case), measured(run)
    late = {job: ran.start - _cause(case, starts, real, job) for job, ran in real.items()}
    assert all(0 <= seconds <= STEP for seconds in late.values()), late


def _cause(case: Case, starts: Outcome, real: dict[int, Ran], job: int) -> int:
    """When that really happened which the twin starts a job at: a submission, an end, or the end of a window."""
    start = starts[job]
    assert start is not None
    causes = [window.end for window in case.windows if window.end == start.time]
    for other in case.jobs:
        its = starts[other.id]
        if other.submit == start.time:
            causes.append(real[other.id].submit)
        if its is not None and its.time + other.length == start.time:
            causes.append(real[other.id].end)
    return max(causes)
