"""The brute-force twin of calibrated users by itself: cases by hand, and the special cases of its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.users.calibrated.making import PROCESSORS, calendars, logs, tables
from tests.users.calibrated.twin import replay
from tests.users.calibrated.twin_hazards import (
    HALF,
    Batch,
    Hazard,
    Kept,
    batches_of,
    jobs_of,
    kept,
    recorded_batches,
    recorded_looks,
    users_of,
)
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.tables import HazardTables
from thinktime.workloads.header import Header
from thinktime.workloads.user_models import delimit

ALWAYS = Calendar(np.zeros(168, np.int64), 0.0)


def hazards(made, calendar, trace):
    """A hazard for each user of a log."""
    own, levels, groups = made
    count = len(users_of(jobs_of(trace)))
    return [Hazard(own, calendar, int(groups[each]), levels[each]) for each in range(count)]


def log(*jobs):
    """A log of one user from (submit, wait, run time), on one processor each."""
    submit, wait, runtime = np.array(jobs, float).T
    columns = {
        "submit": submit, "wait": wait, "runtime": runtime, "user": np.ones(len(jobs), int),
        "requested_processors": np.ones(len(jobs), int), "requested_time": np.maximum(runtime, 1.0),
    }  # fmt: skip
    return tt.Trace(columns, Header().set("MaxProcs", PROCESSORS))


def kept_in(trace, made, calendar=ALWAYS):
    """What is kept of the only user of a log."""
    jobs = jobs_of(trace)
    return kept(jobs, jobs, Hazard(made, calendar))


THREE = log((0, 0, 100), (1000, 500, 100), (1030, 0, 10), (9000, 0, 5))
"""Batches at 0, at 1000 with an offset of 30 s, over at 1600, and at 9000."""


def test_the_integral_of_a_flat_hazard_is_the_time_since_the_last_submission():
    """Rate times (1000 - 0) and (9000 - 1030), and half a second each."""
    found = kept_in(THREE, HazardTables.flat(1e-3))
    assert [each.integral for each in found] == pytest.approx([1.0005, 7.9705], rel=1e-12)
    assert [each.extra for each in found] == [0, 0]


def test_the_integral_counts_each_state_for_as_long_as_it_lasts():
    """With a batch outstanding, e times the rate: 100 s of 1000; 570 s from 1030 to 1600, then 7400 s."""
    flat = HazardTables.flat(1e-3)
    flat.base[:, 1] += 1.0
    found = [each.integral for each in kept_in(THREE, flat)]
    assert found == pytest.approx([0.1 * np.e + 0.9005, 0.57 * np.e + 7.4005], rel=1e-12)


def test_the_clock_begins_with_its_first_cell_and_repeats_its_last_week():
    """Of hours from 1800 on, the second has twice the rate; the hour after the last is as that a week before."""
    flat = HazardTables.flat(1e-3)
    flat.clock[:, :, 1] = np.log(2.0)
    cells = np.zeros(170, np.int64)
    cells[1] = cells[2] = 1
    early = kept_in(log((0, 0, 1), (10_800, 0, 1)), flat, Calendar(cells, 1800.0))[0]
    assert early.integral == pytest.approx(10.8 + (10_800 - 5_400) / 1000 + 0.001, rel=1e-12)
    end = 1800.0 + 170 * 3600
    late = kept_in(log((end, 0, 1), (end + 7200, 0, 1)), flat, Calendar(cells, 1800.0))[0]
    assert late.integral == pytest.approx(7.2005 + 3.6, rel=1e-12)  # the hours 2 and 3


def test_the_shares_the_response_and_the_position_have_their_bins():
    """Each effect once, by hand, in its hazard at a time."""
    own = HazardTables.flat(1.0)
    own.done[0, :] = [0.0, 0.1, 0.2, 0.4]
    own.response[0, :] = np.arange(8) * 1.0
    own.slowdown[0, :] = np.arange(5) * 10.0
    own.position[0, :] = np.arange(4) * 100.0
    own.queue[0, :] = np.arange(5) * 150.0
    own.base[:, 2] -= 5.0
    first = Batch(jobs_of(log((0, 0, 300), (10, 0, 100)))[:], [0.0, 10.0], {0: 300.0, 1: 110.0}, {0: 300.0, 1: 100.0})
    second = Batch(jobs_of(log((0, 0, 7)))[:], [400.0])
    hazard, looks = Hazard(own, ALWAYS), [(0.0, 0), (300.0, 2)]

    def at(time, *batches):
        return float(np.log(hazard(time, batches, looks)))

    assert at(50.0, first) == pytest.approx(7 + 40)  # nothing over yet: the last bins
    assert at(200.0, first) == pytest.approx(0.2 + 7 + 40)  # half of it
    assert at(350.0, first) == pytest.approx(0.4 + 1 + 150)  # after 300 s, slowdown 1, two waiting
    assert at(450.0, first, second) == pytest.approx(1 + 100 + 150)  # position 2
    assert at(450.0, replace(first, over={}), second) == pytest.approx(-5 + 7 + 40 + 100 + 150)


def test_what_came_where_the_hazard_is_zero_is_kept_as_extra():
    """With hazard 0 after a submission all of the gap is kept; with hazard 0 from 16 min on, the rest."""
    flat = HazardTables.flat(1e-3)
    flat.base[:] = -np.inf
    assert [(each.integral, each.extra) for each in kept_in(THREE, flat)] == [(0, 1000.5), (0, 7970.5)]
    flat.base[:, 0] = np.log(1e-3)
    flat.base[:, :, :, 5:] = -np.inf  # from 16 min on
    assert kept_in(THREE, flat) == [
        Kept(1, pytest.approx(0.86), pytest.approx(0.86), pytest.approx(40.5)),
        Kept(3, pytest.approx(0.39), pytest.approx(0.39), pytest.approx(7970.5 - 960)),
    ]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(logs())
def test_batches_are_those_of_the_package(trace):
    """Sixty seconds apart, or after all of it: as `delimit` has them."""
    of = delimit(trace, "arrival", 60.0).batches
    found = sorted(tuple(job.row for job in batch) for own in users_of(jobs_of(trace)) for batch in batches_of(own))
    assert found == sorted(
        tuple(of.order[a:b].tolist()) for a, b in zip(of.bounds[:-1].tolist(), of.bounds[1:].tolist(), strict=True)
    )


@settings(max_examples=12, deadline=None)
@given(logs(most=4), tables(), calendars())
def test_the_quadrature_knows_all_jumps(trace, made, calendar):
    """A sum over many equal steps, which knows of no jumps, comes as near to it as its steps at jumps allow."""
    jobs = jobs_of(trace)
    for own, hazard in zip(users_of(jobs), hazards(made, calendar, trace), strict=True):
        batches = recorded_batches(own)
        for number, each in enumerate(kept(jobs, own, hazard), 1):
            before, until = batches[:number], batches[number].first + HALF
            looks, low, steps = recorded_looks(before, jobs), before[-1].last, 1000
            step = (until - low) / steps
            values = [hazard(low + (place + 0.5) * step, before, looks) for place in range(steps)]
            jumps = len(list(hazard.pieces(before, looks, until))) + 1
            assert abs(each.integral - step * sum(values)) <= jumps * step * max(values) * 4


@settings(max_examples=60, deadline=None)
@given(logs(), tables(), calendars())
def test_under_the_recorded_schedule_the_log_comes_back(trace, made, calendar):
    """To the second, whatever the tables are."""
    found = replay(trace, hazards(made, calendar, trace), PROCESSORS, "recorded")
    assert [found.submit.get(row) for row in range(len(trace))] == trace.submit.tolist()
    assert [found.over[job.row] for job in jobs_of(trace)] == [job.end for job in jobs_of(trace)]


@settings(max_examples=60, deadline=None)
@given(logs(), tables(), calendars(), st.sampled_from(["none", "easy"]))
def test_nothing_but_the_clock_is_the_open_loop(trace, made, calendar, rule):
    """If only the time since the submission and the clock count, jobs come when they did."""
    own, levels, groups = made
    for effect in (own.response, own.slowdown, own.queue, own.done, own.position):
        effect[:] = 0.0
    own.clock[:] = own.clock[:, :1]
    own.base[:] = own.base[:, :1, :1]
    levels[:] = levels[:, :1]
    found = replay(trace, hazards((own, levels, groups), calendar, trace), PROCESSORS, rule)
    assert [found.submit.get(row) for row in range(len(trace))] == trace.submit.tolist()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(*map(st.sampled_from, ([1.0, 62.0, 700.0, 50_000.0], [0.0, 90.0, 4_000.0], [5.0, 3_000.0]))),
             min_size=2, max_size=8),
    tables(), st.sampled_from(["none", "easy"]),
)  # fmt: skip
def test_users_who_wait_and_think_are_those_of_feedback(pauses, made, rule):
    """If nobody submits while a batch is outstanding and only the time since its end counts, think times are kept."""
    jobs, over = [], 0.0
    for think, wait, runtime in pauses:
        jobs.append((over + think, wait, runtime))
        over += think + wait + runtime
    trace = log(*jobs)
    own, levels, _ = made
    for effect in (own.clock, own.response, own.slowdown, own.queue, own.done, own.position):
        effect[:] = 0.0
    own.base[:] = np.where(np.isfinite(own.base[:1, :1, :, :1]), own.base[:1, :1, :, :1], -9.0)
    own.base[:, 1:] = -np.inf
    own.regime[:, 0] = own.regime[:1, 0, :1, :1]
    found = replay(trace, [Hazard(own, ALWAYS, 0, levels[0])], PROCESSORS, rule)
    if len(found.over) == len(trace):
        expected = np.cumsum(
            [think + (found.over[row] - found.submit[row]) for row, (think, _, _) in enumerate(pauses)]
        )
        assert [found.over[row] for row in range(len(trace))] == expected.tolist()


def test_where_a_hazard_falls_at_the_submission_the_half_second_is_extra():
    """Else a batch would come up to half a second before the end at which it came."""
    own = HazardTables.flat(1.0)
    own.base[:, 0] = np.log(0.5)
    trace = log((0, 0, 100), (70, 0, 380), (450, 0, 10))
    assert kept_in(trace, own) == [
        Kept(1, pytest.approx(70.5), pytest.approx(70.5), 0.0),
        Kept(2, pytest.approx(380.25), pytest.approx(380.0), 0.5),
    ]
    assert replay(trace, [Hazard(own, ALWAYS)], PROCESSORS, "recorded").submit == {0: 0, 1: 70, 2: 450}


def test_who_never_submits_again_leaves_jobs_out():
    """Hazard 0 after slow responses: whom another's job delays beyond 8 min submits no more."""
    own = HazardTables.flat(1e-3)
    own.base[:, 1:] = -np.inf
    own.response[:, :, 2:7] = -np.inf  # from 8 min on
    trace = tt.Trace(
        {
            "submit": [0, 10, 400, 900], "wait": [0, 0, 0, 0], "runtime": [1000, 100, 10, 10], "user": [1, 2, 2, 2],
            "requested_processors": [PROCESSORS] * 4, "requested_time": [1000] * 4,
        },
        Header().set("MaxProcs", PROCESSORS),
    )  # fmt: skip
    hazard = Hazard(own, ALWAYS)
    assert replay(trace, [hazard] * 2, PROCESSORS, "recorded").submit == {0: 0, 1: 10, 2: 400, 3: 900}
    assert replay(trace, [hazard] * 2, PROCESSORS, "easy").submit == {0: 0, 1: 10}


def test_other_residuals_come_at_other_times():
    """A think time is the residual over the rate, less half a second."""
    own = HazardTables.flat(1 / 1024)
    own.base[:, 1:] = -np.inf
    trace = log((0, 0, 100), (500, 0, 450), (1500, 0, 10))
    found = replay(trace, [Hazard(own, ALWAYS)], PROCESSORS, "easy", residuals=[[0.25, 0.0]])
    assert found.submit == {0: 0, 1: 100 + 256 - 0.5, 2: 356 - 0.5 + 0}


def test_a_job_is_taken_back_when_its_patience_ends():
    """It waits for 40 s behind another, and its user goes on at once; one that has started is left alone."""
    own = HazardTables.flat(1e-3)
    own.base[:, 1:] = -np.inf
    trace = tt.Trace(
        {
            "submit": [0, 10, 500], "wait": [0, 0, 0], "runtime": [300, 100, 10], "user": [1, 2, 2],
            "requested_processors": [PROCESSORS] * 3, "requested_time": [400, 400, 400],
        },
        Header().set("MaxProcs", PROCESSORS),
    )  # fmt: skip
    hazard = Hazard(own, ALWAYS)
    found = replay(trace, [hazard, hazard], PROCESSORS, "easy", patience=[40.0, 40.0, 400.0])
    assert found.over == {0: 300.0, 1: 50.0, 2: pytest.approx(300 + 10 + 140)}
