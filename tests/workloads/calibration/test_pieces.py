"""Recorded gaps in pieces, against a walk from one breakpoint to the next in which everything is asked anew."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.users.calibrated import twin_hazards as twin
from tests.users.calibrated.fitting import at_random, busy_log
from tests.users.calibrated.making import calendars, logs
from thinktime.users.calibrated import residuals
from thinktime.workloads.calibration import tables
from thinktime.workloads.calibration.calendar import Calendar
from thinktime.workloads.calibration.effects import BLIND, REACTING
from thinktime.workloads.calibration.fit import Classes, Fitting, eta_of
from thinktime.workloads.calibration.fitted import FittedUsers
from thinktime.workloads.calibration.pieces import FACTORS, pieces_of
from thinktime.workloads.calibration.posterior import stacked
from thinktime.workloads.user_models.sessions import delimit, owners

HOUR = 3600.0


def bin_of(edges, value):
    """The last edge that is not above the value."""
    return sum(1 for edge in edges if edge <= value) - 1


class Walk:
    """The gaps of a log as a person would measure them with a pencil."""

    def __init__(self, trace, calendar, until=None):
        self.jobs, self.calendar = twin.jobs_of(trace), calendar
        self.exposure, self.events = Counter(), Counter()
        for code, own in enumerate(twin.users_of(self.jobs)):
            batches = twin.batches_of(own)
            for number in range(1, len(batches)):
                self.gap(code, batches[:number], batches[number][0].submit + 0.5)
            if until is not None and own[0].user >= 0:
                self.gap(code, batches, until + 0.5, 0)

    def gap(self, code, batches, stop, ended=1):
        """Walk from the last submission of the latest batch to the next one, if there is one."""
        begin = batches[-1][-1].submit
        ends = [max(job.end for job in batch) for batch in batches]
        times = {begin, stop} | {begin + age for age in tables.AGES}
        times |= {end + age for end in ends for age in tables.AGES}
        times |= {job.end for job in batches[-1]}
        hours = int((stop - begin) / HOUR) + 2
        start = self.calendar.first + HOUR * np.floor((begin - self.calendar.first) / HOUR)
        times |= {start + HOUR * hour for hour in range(hours)}
        cuts = sorted(time for time in times if begin <= time <= stop)
        for one, other in pairwise(cuts):
            row = self.row(code, batches, ends, (one + other) / 2, stop - 0.5)
            self.exposure[row] += other - one
        self.events[row] += ended

    def row(self, code, batches, ends, now, recorded):
        """What the hazard depends on at a time; in the half second after a recorded one, nothing more is over."""
        over = [place for place, end in enumerate(ends) if end <= min(now, recorded)]
        latest = max(over, key=lambda place: (ends[place], place), default=None)
        submitted, look = batches[-1][-1].submit, batches[-1][0].submit
        end, response, slowdown = len(tables.AGES), len(tables.RESPONSES), len(tables.SLOWDOWNS)
        if latest is not None:
            if ends[latest] >= submitted:
                end = bin_of(tables.AGES, now - ends[latest])
            time = ends[latest] - batches[latest][0].submit
            last = max(batches[latest], key=lambda job: (job.end, job.row))
            response = bin_of(tables.RESPONSES, time)
            slowdown = bin_of(tables.SLOWDOWNS, time / max(last.runtime, 60.0))
            look = max(look, ends[latest])
        queue = sum(1 for job in self.jobs if job.submit < look <= job.left)
        done = sum(1 for job in batches[-1] if job.end <= min(now, recorded)) / len(batches[-1])
        position = 1
        for one, other in pairwise(batches):
            position = position + 1 if other[0].submit - one[-1].submit <= tables.BREAK else 1
        hour = max(int(np.floor((now - self.calendar.first) / HOUR)), 0)
        while hour >= len(self.calendar.cells):
            hour -= 168
        return (
            code, min(len(batches) - len(over), 2), end, bin_of(tables.AGES, now - submitted),
            int(self.calendar.cells[hour]), response, slowdown, bin_of(tables.QUEUES, queue),
            bin_of(tables.SHARES, done), bin_of(tables.POSITIONS, position),
        )  # fmt: skip


def assert_as_walked(trace, calendar, until=None):
    """The rows of a log are those of the walk."""
    walk, pieces = Walk(trace, calendar, until), pieces_of(trace, calendar, until)
    rows, row_of = pieces.rows()
    keys = list(zip(*(rows.factors[name].tolist() for name in FACTORS), strict=True))
    assert len(set(keys)) == len(keys)
    assert dict(zip(keys, rows.exposure, strict=True)) == pytest.approx(dict(walk.exposure), rel=1e-12)
    assert Counter(dict(zip(keys, rows.events.tolist(), strict=True))) == walk.events
    for name in FACTORS:
        assert (rows.factors[name][row_of] == pieces.factors[name]).all()


def uneven(trace, part):
    """A log whose jobs end a part of a second later, as those of a simulation do."""
    return trace.with_columns(runtime=trace.runtime + part * (trace.id % 3))


PARTS = st.sampled_from([0.0, 0.0, 0.125, 0.375])


@settings(max_examples=200, deadline=None)
@given(logs(), calendars(), PARTS)
def test_rows_are_those_of_a_walk(trace, calendar, part):
    """Exposure, events and every bin, with ties, jobs of no length, and jobs of nobody."""
    assert_as_walked(uneven(trace, part), calendar)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_busy_logs_are_those_of_a_walk(seed):
    """With many users at work at once, and queues."""
    trace = busy_log(seed, 80, 3, 9000)
    assert_as_walked(trace, Calendar.of_log(trace))
    assert_as_walked(trace, Calendar.of_log(trace), 12_345.0)


def test_a_second_job_of_no_length():
    """It is over as it is submitted, which is after the gap that it ends."""
    columns = {"submit": [0.0, 100.0, 100.0, 500.0], "runtime": [10.0, 0.0, 0.0, 5.0], "wait": [0.0] * 4}
    trace = tt.Trace(columns | {"allocated": [1] * 4, "user": [1] * 4})
    pieces = pieces_of(trace, Calendar.of_log(trace))
    assert pieces.factors["state"][pieces.last].tolist() == [0, 0, 0]
    assert_as_walked(trace, Calendar.of_log(trace))


def test_a_submission_is_half_a_second_after_its_second():
    """A job comes as the one before is over: the gap is half a second longer, and ends with nothing outstanding."""
    columns = {"submit": [0.0, 100.0], "runtime": [100.0, 5.0], "wait": [0.0, 0.0], "allocated": [1, 1], "user": [1, 1]}
    trace = tt.Trace(columns)
    pieces = pieces_of(trace, Calendar.of_log(trace))
    assert pieces.exposure.sum() == 100.5
    last = pieces.last.item()
    assert (pieces.factors["state"][last], pieces.factors["end"][last], pieces.exposure[last]) == (0, 0, 0.5)
    assert pieces.factors["state"][:last].tolist() == [1] * last


def test_rows_of_some_gaps():
    """They have the exposure and the events of these, and those of the others have the rest."""
    trace = busy_log(5)
    pieces = pieces_of(trace, Calendar.of_log(trace))
    some = np.arange(len(pieces)) % 3 == 0
    (every, _), (of_some, _), (others, _) = pieces.rows(), pieces.rows(some), pieces.rows(~some)
    assert of_some.events.sum() == some.sum() and of_some.exposure.sum() < every.exposure.sum()
    assert (of_some.events + others.events).tolist() == every.events.tolist()
    assert of_some.exposure + others.exposure == pytest.approx(every.exposure)


# -- two codes, one number ------------------------------------------------------------------------------------


def integrals(trace, found, pieces, eta):
    """The integrals of gaps that the engine finds, and those of pieces."""
    whole = residuals(trace, found)
    assert np.flatnonzero(~np.isnan(whole)).tolist() == pieces.batch.tolist()
    return whole[pieces.batch], Fitting(pieces, int(owners(trace).max()) + 1).residuals(eta)


@settings(max_examples=100, deadline=None)
@given(logs(), calendars(), PARTS, st.integers(0, 99))
def test_integrals_are_those_of_the_engine(trace, calendar, part, seed):
    """With any hazards, of which some are 0."""
    trace = uneven(trace, part)
    made = at_random(trace, seed, never=0.05)
    found = FittedUsers(made.tables, made.class_of, made.level, calendar)
    pieces = pieces_of(trace, calendar)
    eta = eta_of(pieces.rows()[0], found.tables, found.level, found.class_of)
    engine, own = integrals(trace, found, pieces, eta)
    assert own == pytest.approx(engine, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("structure", [BLIND, REACTING], ids=lambda each: each.name)
def test_integrals_of_fitted_users_are_those_of_the_engine(structure):
    """With all effects of a class, regimes, levels, and hazards that are 0."""
    trace = busy_log(11, 200, 5, 40_000)
    calendar = Calendar.of_log(trace)
    pieces, count = pieces_of(trace, calendar), int(owners(trace).max()) + 1
    fitting, everybody = Fitting(pieces, count), np.ones(count, bool)
    classes = Classes((fitting.fit(structure, structure.effects, everybody, rounds=1),), ~everybody)
    of = classes.hazards[0].found
    level = of.level(fitting.waits)
    found = FittedUsers(stacked([of.tables()]), classes.class_of, level, calendar)
    engine, own = integrals(trace, found, pieces, classes.eta(fitting.rows))
    assert own == pytest.approx(engine, rel=1e-9)
    assert own.sum() == pytest.approx(len(pieces), rel=0.02)  # the mean's own equation: as many as expected


def test_batches_are_those_of_the_log():
    """A gap belongs to the batch that ends it."""
    trace = busy_log(6)
    batches = delimit(trace, "arrival", tables.TOGETHER).batches
    pieces = pieces_of(trace, Calendar.of_log(trace))
    assert pieces.submit.tolist() == batches.submit[pieces.batch].tolist()
    assert pieces.batch.tolist() == np.flatnonzero(np.diff(batches.owner, prepend=-1) == 0).tolist()
