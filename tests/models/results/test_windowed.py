"""Windows of results: every metric over [start, end), against sums over jobs and seconds that share no code."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis.experiments.metrics import metric
from thinktime.analysis.experiments.window import Measured
from thinktime.analysis.modes.user_measures import measure
from thinktime.models.state import State
from thinktime.workloads import Header, Trace

P = 3
NOW = 60
Row = dict[str, Any]


@st.composite
def schedules(draw: st.DrawFn) -> list[Row]:
    """Jobs up to a horizon, in every state, at whole seconds; more may run at once than there are processors."""
    rows = []
    for number in range(draw(st.integers(0, 8))):
        submit = draw(st.integers(0, 40))
        state = draw(
            st.sampled_from([State.FINISHED] * 3 + [State.KILLED, State.WITHDRAWN, State.WAITING, State.RUNNING])
        )
        started = state not in (State.WITHDRAWN, State.WAITING)
        start = submit + draw(st.integers(0, 9)) if started else math.nan
        length = draw(st.integers(0, 11))
        end = start + length if state in (State.FINISHED, State.KILLED) else math.nan
        if state == State.WITHDRAWN:
            end = submit + length
        rows.append(
            {
                "id": number + 1, "user": draw(st.integers(-1, 1)), "submit": submit, "start": start, "end": end,
                "state": state, "processors": draw(st.integers(1, 2)), "runtime": float(length),
                "session": draw(st.integers(0, 3)),
            }
        )  # fmt: skip
    return rows


def result_of(rows: list[Row]) -> tt.Result:
    """The same as a result."""
    names = ("id", "user", "submit", "start", "end", "state", "processors", "runtime")
    columns = {name: np.array([row[name] for row in rows], float) for name in names}
    return tt.Result.from_columns(columns, P, names={"user": ["a", "b"]}, now=NOW)


def mean(values: list[float]) -> float:
    """The mean, or NaN."""
    return sum(values) / len(values) if values else math.nan


def span(rows: list[Row], a: float, b: float) -> tuple[float, float]:
    """From when to when the machine is measured; NaN where that is not known."""
    ran = [row for row in rows if row["start"] == row["start"]]
    if math.isinf(a):
        a = min((row["start"] for row in ran), default=math.nan)
    if math.isinf(b):
        b = max((row["end"] if row["end"] == row["end"] else NOW for row in ran), default=math.nan)
    elif b > NOW and any(row["state"] in (State.WAITING, State.RUNNING) for row in rows):
        return math.nan, math.nan
    return a, b


def expected(rows: list[Row], a: float, b: float) -> dict[str, float]:
    """Every metric of the window, second by second and job by job."""
    inside = [row for row in rows if a <= row["submit"] < b]
    served = [row for row in inside if row["state"] in (State.FINISHED, State.KILLED)]
    slow = [max(1.0, (row["end"] - row["submit"]) / max(row["end"] - row["start"], 10.0)) for row in served]
    begin, stop = span(rows, a, b)
    use = lost = waiting = math.nan
    if stop > begin:
        use = lost = waiting = 0.0
        for second in range(int(begin), int(stop)):
            held = asked = 0
            for row in rows:
                over = row["end"] if row["end"] == row["end"] else NOW
                starts = row["start"] if row["start"] == row["start"] else over
                work = row["processors"] * (over - row["start"]) if row["start"] == row["start"] else 0
                held += row["processors"] * (starts <= second < over)
                asked += row["processors"] * (row["submit"] <= second < starts)
                waiting += work * (row["submit"] <= second < starts)
            use += held
            lost += min(asked, max(P - held, 0))
        use, lost, waiting = (each / (P * (stop - begin)) for each in (use, lost, waiting / 3600))
    ends = [row["end"] for row in rows if row["state"] == State.FINISHED and a <= row["end"] < b]
    gone = [row for row in inside if row["state"] == State.WITHDRAWN]
    return {
        "jobs": len(inside),
        "finished": sum(row["state"] == State.FINISHED for row in inside),
        "killed": sum(row["state"] == State.KILLED for row in inside),
        "unfinished": sum(row["state"] in (State.WAITING, State.RUNNING) for row in inside),
        "served": len(served),
        "mean_wait": mean([row["start"] - row["submit"] for row in served]),
        "max_wait": max((row["start"] - row["submit"] for row in served), default=math.nan),
        "mean_response_time": mean([row["end"] - row["submit"] for row in served]),
        "mean_bounded_slowdown_10": mean(slow),
        "utilization": use,
        "loss_of_capacity": lost,
        "mean_backlog": waiting,
        "abandoned_jobs": len(gone),
        "lost_processor_hours": sum(row["processors"] * row["runtime"] for row in gone) / 3600,
        "throughput_per_day": len(ends) / (stop - begin) * 86_400 if stop > begin else math.nan,
    }


WINDOWS = st.tuples(st.integers(0, 70), st.integers(1, 70)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@settings(max_examples=80, deadline=None)
@given(rows=schedules(), window=WINDOWS)
def test_every_metric_is_the_sum_over_jobs_and_seconds(rows: list[Row], window: tuple[int, int]) -> None:
    """The summary, the metrics of scenarios and the measures of modes agree with it."""
    result = result_of(rows)
    wanted = expected(rows, *window)
    summary, measured = result.summary(*window), Measured(result, *map(float, window))
    for name, value in wanted.items():
        found = metric(name)(measured)
        assert (math.nan if found is None else found) == pytest.approx(value, nan_ok=True), name
        if name in summary:
            assert summary[name] == pytest.approx(value, nan_ok=True), name
    session = np.array([row["session"] for row in rows], int)
    log = Trace({"submit": [0.0, NOW]})
    modes = measure(result, session, log, False, *window)
    for name in ("jobs", "mean_wait", "mean_bounded_slowdown_10", "utilization", "mean_backlog", "throughput_per_day"):
        assert modes[name] == pytest.approx(wanted[name], nan_ok=True), name
    assert modes["mean_session_response_time"] == pytest.approx(of_sessions(rows, *window), nan_ok=True)
    assert modes.served.n == wanted["served"] and modes.served.unfinished == wanted["unfinished"]


def of_sessions(rows: list[Row], a: float, b: float) -> float:
    """The mean response time of sessions that begin in the window and whose jobs were all served."""
    found = []
    for number in {row["session"] for row in rows}:
        own = [row for row in rows if row["session"] == number]
        first = min(row["submit"] for row in own)
        if a <= first < b and all(row["state"] in (State.FINISHED, State.KILLED) for row in own):
            found.append(max(row["end"] for row in own) - first)
    return mean(found)


@settings(max_examples=50, deadline=None)
@given(rows=schedules(), cut=st.integers(1, 69))
def test_windows_add_up(rows: list[Row], cut: int) -> None:
    """What is counted or summed in two windows side by side is that of both together."""
    result = result_of([row for row in rows if row["state"] > State.RUNNING])
    sides = (0, cut, 70)
    parts = [result.during(a, b) for a, b in pairwise(sides)]
    both = result.during(0, 70)
    assert sum(len(each.jobs) for each in parts) == len(both.jobs) == len(result)
    for name in ("utilization", "loss_of_capacity", "throughput", "backlog"):
        lengths = [b - a for a, b in pairwise(sides)]
        total = sum(length * getattr(each, name)() for length, each in zip(lengths, parts, strict=True))
        assert total / 70 == pytest.approx(getattr(both, name)())


def test_without_bounds_it_is_the_whole_result() -> None:
    """A window of the whole time has the numbers of the whole run, but for those over the time of the machine."""
    log = Trace({"submit": [100, 160], "runtime": [30, 60], "allocated": [1, 1]}, Header.build(MaxProcs=2))
    result = tt.replay(log, "fcfs")
    assert dict(result.summary()) == pytest.approx(dict(result.during().result.summary()), nan_ok=True)
    assert result.during().jobs is result
    assert result.summary()["utilization"] == 90 / (2 * 120)
    assert result.summary(0, 200)["utilization"] == (30 + 40) / (2 * 200)
    assert result.summary(150)["utilization"] == 60 / (2 * 70)
    assert result.summary(end=150)["jobs"] == 1 and result.summary(end=150)["utilization"] == 30 / (2 * 50)
    assert "measured from t = 0 s to t = 200 s" in str(result.summary(0, 200))


def test_dates_and_windows_that_are_none() -> None:
    """Dates are those of the log; a window ends after it begins."""
    header = Header.build(MaxProcs=2, UnixStartTime=86_400, TimeZoneString="UTC")
    log = Trace({"submit": [0, 90_000], "runtime": [30, 60], "allocated": [1, 1]}, header)
    result = tt.replay(log, "fcfs")
    assert result.summary("1970-01-03")["jobs"] == result.summary(86_400)["jobs"] == 1
    with pytest.raises(ValueError, match="must end after it begins"):
        result.during(5, 5)


def test_what_is_not_known_is_nan() -> None:
    """Beyond the horizon of a run that was not over, it is unknown how busy the machine is."""
    rows = {"submit": [0.0, 1.0], "start": [0.0, 5.0], "end": [5.0, math.nan], "processors": [1, 1]}
    result = tt.Result.from_columns(rows, 1, now=10)
    for name in ("utilization", "loss_of_capacity", "throughput", "backlog"):
        assert math.isnan(getattr(result.during(0, 11), name)())
        assert not math.isnan(getattr(result.during(0, 10), name)())
    assert math.isnan(result.summary(20, 30)["mean_wait"])
