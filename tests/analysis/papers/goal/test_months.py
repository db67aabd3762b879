"""Evaluation by month: warm-up, cool-down, local months; measures against plain sums over a plain schedule."""

import datetime
import zoneinfo

import numpy as np
import pytest

import thinktime as tt
from tests.models.policies.goal import twin
from thinktime.analysis.months import run_month, whole_months
from thinktime.analysis.papers.goal.workload import workload_of
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.swf.header import Header

DAY, WEEK = 86_400, 604_800
LOCAL = zoneinfo.ZoneInfo("US/Pacific")
START = int(datetime.datetime(1998, 3, 1, 7, tzinfo=LOCAL).timestamp())
HEADER = Header().set("UnixStartTime", START).set("TimeZoneString", "US/Pacific").set("MaxProcs", 8)


def made(days=95, seed=1):
    """A log of a little machine from 1 March 1998 on, crowded by day; clocks change on 5 April."""
    rng = np.random.default_rng(seed)
    count = days * 6
    runtime = rng.choice([0, 30, 600, 7200, 20_000], count) + rng.integers(0, 60, count)
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, days * DAY, count)), "runtime": runtime,
            "requested_processors": rng.integers(1, 9, count), "user": rng.integers(1, 6, count),
            "requested_time": runtime,
        },
        HEADER,
    )  # fmt: skip


def local(*date):
    """A local midnight in s since the log's start."""
    return datetime.datetime(*date, tzinfo=LOCAL).timestamp() - START


def test_days_and_months_are_those_of_the_wall_clock():
    """A day has 23 h when clocks go forward; months begin at local midnight; weeks on Mondays."""
    calendar = Calendar(START, LOCAL)
    april = local(1998, 4, 5)
    assert calendar.window(april + 5 * 3600) == (april, april + 23 * 3600)
    assert calendar.window(local(1998, 4, 15), 7 * DAY) == (local(1998, 4, 13), local(1998, 4, 20))
    assert calendar.window(april + 22.5 * 3600, DAY / 4) == (april + 18 * 3600, april + 23 * 3600)
    assert [month.name for month in calendar.months(0, local(1998, 5, 1))] == [
        "1998-03",
        "1998-04",
        "1998-05",
    ]
    assert np.diff(calendar.midnights(local(1998, 4, 4), local(1998, 4, 7))).tolist() == [DAY, 23 * 3600, DAY]
    assert calendar.date(-8 * 3600) == datetime.date(1998, 2, 28)


def test_a_log_without_a_start_begins_at_midnight():
    """Then t = 0 is 1 January 1970 in UTC."""
    assert Calendar().window(DAY + 1) == (DAY, 2 * DAY)
    assert Calendar().months(0, 0)[0] == ("1970-01", 0, 31 * DAY)


def test_a_time_beyond_the_calendar_is_named():
    """One sentence that says which time and what would be right."""
    with pytest.raises(ValueError, match=r"has no date: it must lie in the years 1 to 9999"):
        Calendar(start=893_466_664).date(1e12)


def test_whole_months():
    """Months from the first day of the log to its last: March and April, not the rest of May and June."""
    assert [month.name for month in whole_months(made())] == ["1998-03", "1998-04", "1998-05"]
    assert [month.name for month in whole_months(made(80))] == ["1998-03", "1998-04"]
    late = made().between("1998-03-02")
    assert [month.name for month in whole_months(late)] == ["1998-04", "1998-05"]


def jobs_of(trace, since):
    """The jobs submitted from a time on, for the plain schedule."""
    columns = zip(
        trace.id, trace.user, trace.submit, trace.processors, trace.estimate, trace.runtime, strict=True
    )
    return [
        {"id": int(i), "user": int(u), "submit": s, "n": int(n), "est": e, "run": r}
        for i, u, s, n, e, r in columns
        if s >= since
    ]


def test_a_month_against_the_plain_schedule():
    """Starts of April's jobs under RelShare, from a week before on an empty machine, and their measures."""
    trace, begin, end = made(), local(1998, 4, 1), local(1998, 5, 1)
    month = next(each for each in whole_months(trace) if each.name == "1998-04")
    assert (month.start, month.end) == (begin, end)
    run = run_month(trace, "relshare", month)
    jobs = jobs_of(trace, begin - WEEK)
    starts = twin.simulate(jobs, 8, twin.relshare(Calendar(START, LOCAL).window))
    mine = [job for job in jobs if begin <= job["submit"] < end]
    waits = [starts[job["id"]] - job["submit"] for job in mine]
    assert run.wait.tolist() == waits
    assert run.result["id"][run.rows].tolist() == [job["id"] for job in mine]
    classic = [max(1, (w + j["run"]) / max(j["run"], 60)) for w, j in zip(waits, mine, strict=True)]
    floored = [(w + max(j["run"], 60)) / max(j["run"], 60) for w, j in zip(waits, mine, strict=True)]
    assert run.bounded_slowdown(60).tolist() == pytest.approx(classic)
    assert run.floored_slowdown(60).tolist() == pytest.approx(floored)


def test_the_two_slowdowns_differ_for_short_jobs():
    """Wait 30, run 10, threshold 60: classic max(1, 40 / 60) = 1, floored 90 / 60 = 1.5."""
    jobs = tt.Trace({"submit": [0.0, 1.0], "runtime": [31.0, 10.0], "requested_processors": [8, 8]}, HEADER)
    run = run_month(jobs, "easy", jobs.calendar.months(0, 1)[0])
    assert run.wait.tolist() == [0, 30]
    assert (run.bounded_slowdown()[1], run.floored_slowdown()[1]) == (1, 1.5)


def test_the_cool_down_goes_on_until_all_have_started():
    """A job of the month's last minute waits for weeks, behind jobs that still arrive; those are not measured."""
    last = local(1998, 3, 31) + DAY - 60
    submit = [local(1998, 3, 10), last, last + 3600, local(1998, 4, 20)]
    trace = tt.Trace(
        {"submit": submit, "runtime": [25.0 * DAY, 600.0, 60.0, 60.0], "requested_processors": [8, 8, 8, 8]},
        HEADER,
    )
    run = run_month(trace, "easy", trace.calendar.months(0, 1)[0])
    assert run.wait.tolist() == [0, submit[0] + 25 * DAY - last]
    assert len(run.result) == 3  # the fourth had not come when the second started


def test_the_workload_table():
    """Demand over the month's capacity; means, medians and maxima by hand."""
    trace = tt.Trace(
        {"submit": [0.0, 10.0, 20.0, 40 * DAY], "runtime": [3600.0, 7200.0, 36_000.0, 5.0], "user": [1, 1, 2, 3],
         "requested_processors": [1, 2, 8, 1]}, HEADER,
    )  # fmt: skip
    line = workload_of(trace, trace.calendar.months(0, 1)[0], 8)
    assert line.demand == pytest.approx((1 + 4 + 80) / (8 * 31 * 24))
    assert (line.users, line.jobs) == (2, 3)
    assert line.jobs_per_user == (type(line.jobs_per_user))(1.5, 1.5, 2)
    assert (line.demand_per_user.mean, line.demand_per_user.maximum) == (42.5, 80)
    assert (line.size.mean, line.size.median, line.size.maximum) == (pytest.approx(85 / 3), 4, 80)
    assert (line.processors.median, line.runtime.maximum) == (2, 10)


def test_a_month_without_jobs_is_refused():
    """With one sentence."""
    month = Calendar(START, LOCAL).months(400 * DAY, 400 * DAY)[0]
    with pytest.raises(ValueError, match="no jobs submitted in 1999-04"):
        run_month(made(), "easy", month)
