"""Evaluation by month: warm-up, cool-down, local months; measures against plain sums over a plain schedule."""

import pytest

import thinktime as tt
from tests.analysis.little_log import DAY, HEADER, LOCAL, START, local, made
from tests.models.policies.goal import twin
from thinktime.analysis.months import run_month, whole_months
from thinktime.workloads.calendar import Calendar


def test_whole_months():
    """Whole months lie between the log's first and last day."""
    assert [month.name for month in whole_months(made())] == ["1998-03", "1998-04", "1998-05"]
    assert [month.name for month in whole_months(made(80))] == ["1998-03", "1998-04"]
    late = made().between("1998-03-02")
    assert [month.name for month in whole_months(late)] == ["1998-04", "1998-05"]


def jobs_of(trace, since):
    """The jobs submitted from a time on, for the plain schedule."""
    columns = zip(trace.id, trace.user, trace.submit, trace.processors, trace.estimate, trace.runtime, strict=True)
    return [
        {"id": int(i), "user": int(u), "submit": s, "n": int(n), "est": e, "run": r}
        for i, u, s, n, e, r in columns
        if s >= since
    ]


def test_a_month_against_the_plain_schedule():
    """April's starts under RelShare after a week of warm-up, and their measures, are the plain schedule's."""
    trace, begin, end = made(), local(1998, 4, 1), local(1998, 5, 1)
    month = next(each for each in whole_months(trace) if each.name == "1998-04")
    assert (month.start, month.end) == (begin, end)
    run = run_month(trace, "relshare", month)
    jobs = jobs_of(trace, begin - 7 * DAY)
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
    """A job of the month's last minute is measured though it waits for weeks behind later ones."""
    last = local(1998, 3, 31) + DAY - 60
    submit = [local(1998, 3, 10), last, last + 3600, local(1998, 4, 20)]
    trace = tt.Trace(
        {"submit": submit, "runtime": [25.0 * DAY, 600.0, 60.0, 60.0], "requested_processors": [8, 8, 8, 8]}, HEADER
    )
    run = run_month(trace, "easy", trace.calendar.months(0, 1)[0])
    assert run.wait.tolist() == [0, submit[0] + 25 * DAY - last]
    assert len(run.result) == 3  # the fourth had not come when the second started


def test_a_month_without_jobs_is_refused():
    """A month without jobs is refused in one sentence."""
    month = Calendar(START, LOCAL).months(400 * DAY, 400 * DAY)[0]
    with pytest.raises(ValueError, match="no jobs submitted in 1999-04"):
        run_month(made(), "easy", month)
