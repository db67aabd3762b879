"""Measures of results: worked cases, brute-force twins, and what happens at the edges."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis.deviation import deviation
from thinktime.analysis.fairness.unfairness import resource_equality
from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.models.state import State

NAN = np.nan


def made(jobs: list[tuple[float, float, float, int]], processors: int = 4, **more: Any) -> Result:
    """A result from (submit, start, end, processors) of each job."""
    names = ("submit", "start", "end", "processors")
    columns = {name: [job[k] for job in jobs] for k, name in enumerate(names)}
    if "state" in more:
        columns["state"] = more.pop("state")
    return Result.from_columns(columns, processors, **more)


@pytest.fixture
def worked() -> Result:
    """The three jobs on four processors whose loss of capacity is 9/52."""
    return made([(0, 0, 10, 3), (1, 10, 12, 2), (2, 10, 13, 2)])


def test_loss_of_capacity_of_the_worked_case(worked: Result) -> None:
    """One processor idles for 9 s while jobs wait, on 4 processors for 13 s: 9/52."""
    assert measures.loss_of_capacity(worked) == 9 / 52


def test_utilization_of_the_worked_case(worked: Result) -> None:
    """Utilization is processor-seconds over makespan times processors: 40/52."""
    assert measures.utilization(worked) == 40 / 52
    assert measures.makespan(worked) == 13


def test_response_time_weighted_by_area(worked: Result) -> None:
    """Each job's response time weighs as much as its processor-seconds."""
    assert measures.area_weighted_response_time(worked) == (30 * 10 + 4 * 11 + 6 * 11) / 40


def test_bounded_and_floored_slowdown_differ() -> None:
    """A job that waits 30 s and runs 10 s has a bounded slowdown of 1, a floored one of 1.5."""
    result = made([(0, 30, 40, 1)])
    assert measures.bounded_slowdown(result, 60).tolist() == [1.0]
    assert measures.floored_slowdown(result, 60).tolist() == [1.5]
    assert measures.slowdown(result).tolist() == [4.0]
    assert measures.bounded_slowdown(result).tolist() == [4.0]


def test_a_job_without_run_time_has_no_slowdown() -> None:
    """A job that ran for 0 s has no slowdown; its bounded slowdown takes the threshold for its run time."""
    result = made([(0, 20, 20, 1)])
    assert np.isnan(measures.slowdown(result)).tolist() == [True]
    assert measures.bounded_slowdown(result, 10).tolist() == [2.0]


def test_a_threshold_must_be_above_zero(worked: Result) -> None:
    """A threshold of 0 s would divide by zero, and is refused by name."""
    with pytest.raises(ValueError, match=r"threshold .* got 0"):
        measures.bounded_slowdown(worked, 0)


def test_unfinished_jobs_have_no_response_time_but_running_ones_a_wait() -> None:
    """At the horizon a running job has waited, a waiting job has not, and neither has a response time."""
    result = made([(0, 2, NAN, 1), (0, NAN, NAN, 1)], now=10)
    np.testing.assert_array_equal(measures.wait(result), [2, NAN])
    assert np.isnan(measures.response_time(result)).all()
    assert measures.ended(result).tolist() == [False, False]


def test_running_jobs_use_the_machine_up_to_the_horizon() -> None:
    """A job that runs at the horizon counts with its use so far, and the makespan reaches to the horizon."""
    result = made([(0, 2, NAN, 3), (0, 2, 4, 1)], now=10)
    assert measures.makespan(result) == 8
    assert measures.utilization(result) == (3 * 8 + 1 * 2) / (8 * 4)


def test_a_withdrawn_job_waits_until_its_withdrawal() -> None:
    """A job withdrawn at 6 s loses capacity from its submission to then."""
    result = made([(0, 0, 10, 3), (1, NAN, 6, 4)], state=[State.FINISHED, State.WITHDRAWN])
    assert measures.loss_of_capacity(result) == 5 / 40


def test_a_job_that_never_starts_waits_until_the_horizon() -> None:
    """A waiting job loses capacity up to the end of the window."""
    result = made([(0, 0, 10, 3), (1, NAN, NAN, 4)], now=20)
    assert measures.loss_of_capacity(result) == 9 / 40


def test_a_refused_job_never_waits() -> None:
    """A refused job is not in the queue, whether or not it has an end."""
    result = made([(0, 0, 10, 3), (1, NAN, NAN, 9), (1, NAN, 5, 9)], state=[State.FINISHED, *[State.REFUSED] * 2])
    assert measures.loss_of_capacity(result) == 0


@pytest.mark.parametrize("jobs", [[], [(0, NAN, NAN, 1)], [(0, 5, 5, 1)]])
def test_numbers_without_a_window_are_nan(jobs: list[tuple[float, float, float, int]]) -> None:
    """Where nothing ran for any time, the fractions of the capacity are not defined."""
    result = made(jobs, now=5)
    assert np.isnan([measures.utilization(result), measures.loss_of_capacity(result)]).all()
    assert np.isnan(measures.area_weighted_response_time(result))


WHOLE = st.integers(0, 30)


@st.composite
def schedules(draw: st.DrawFn) -> Result:
    """Jobs in any state on a machine that is wide enough for all of them at once."""
    rows = draw(
        st.lists(st.tuples(WHOLE, WHOLE, WHOLE, st.integers(1, 8), st.sampled_from(list(State)[1:])), min_size=1)
    )
    jobs, now = [], 100.0
    for submit, wait, run, n, state in rows:
        started = state in (State.RUNNING, State.FINISHED, State.KILLED)
        start = submit + wait if started else NAN
        end = {State.WAITING: NAN, State.RUNNING: NAN, State.REFUSED: submit}.get(state, submit + wait + run)
        jobs.append((float(submit), float(start), float(end), n))
    peak = sum(n for *_, n in jobs)
    return made(jobs, processors=peak, state=[row[-1] for row in rows], now=now)


def by_the_second(result: Result) -> tuple[float, float]:
    """Utilization and loss of capacity, counted second by second."""
    rows = list(zip(*(result[c].tolist() for c in ("submit", "start", "end", "processors", "state")), strict=True))
    started = [row for row in rows if not np.isnan(row[1])]
    if not started:
        return NAN, NAN
    ends = [result.now if np.isnan(end) else end for _, _, end, *_ in started]
    first, last = min(row[1] for row in started), max(ends)
    used = lost = 0
    for t in np.arange(first, last):
        now_used = sum(n for (_, start, _, n, _), end in zip(started, ends, strict=True) if start <= t < end)
        queued = sum(n for row in rows if waits_at(row, t) for n in [row[3]])
        used += now_used
        lost += min(queued, result.processors - now_used)
    capacity = (last - first) * result.processors
    return (used / capacity, lost / capacity) if capacity else (NAN, NAN)


def waits_at(row: tuple[float, float, float, int, int], t: float) -> bool:
    """Whether a job is in the queue at time t."""
    submit, start, end, _, state = row
    until = start if not np.isnan(start) else end if not np.isnan(end) else np.inf
    return state != State.REFUSED and submit <= t < until


@given(schedules())
def test_utilization_and_loss_equal_counting_by_the_second(result: Result) -> None:
    """The sorted-event integrals equal a count of every second, in every mixture of states."""
    found = measures.utilization(result), measures.loss_of_capacity(result)
    np.testing.assert_allclose(found, by_the_second(result), rtol=1e-12)


@pytest.mark.parametrize(("policy", "length", "processors"), [("size=min", 400.0, 1), ("expand=oldest", 50.0, 8)])
def test_jobs_of_several_sizes_are_held_against_the_size_that_they_prefer(
    policy: str, length: float, processors: int
) -> None:
    """100 s on 4 of 8 processors, linear: on one it is four times as slow, and on all of them twice as fast."""
    log = tt.Trace({"submit": [0], "runtime": [100], "allocated": [4], "user": [1]})
    result = tt.replay(tt.Shaping(speedup="linear").of(log, 8), f"shapes:{policy}", 8)
    assert result["end"].tolist() == [length]
    assert measures.slowdown(result).tolist() == [length / 100]
    assert measures.bounded_slowdown(result).tolist() == [max(1.0, length / 100)]
    assert measures.floored_slowdown(result).tolist() == [max(1.0, length / 100)]
    assert resource_equality(result).received.tolist() == [length * processors] == [400.0]
    assert deviation(result, [0.0, length]).used.sum() == 400.0
