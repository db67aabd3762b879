"""Logs made for tests of behaviour: by hand, and by Hypothesis."""

import numpy as np
from hypothesis import strategies as st

import thinktime as tt
from thinktime.workloads.header import Header


def log(jobs, processors=8):
    """A log from (user, submit, end) or (user, submit, start, end), every job on one processor."""
    full = [job if len(job) == 4 else (job[0], job[1], *job[1:]) for job in jobs]
    user, submit, start, end = (np.array(column, float) for column in zip(*full, strict=True))
    columns = {
        "id": np.arange(1, len(jobs) + 1), "user": user.astype(int), "submit": submit, "wait": start - submit,
        "runtime": end - start, "requested_processors": np.ones(len(jobs), int),
        "requested_time": np.maximum(end - start, 1),
    }  # fmt: skip
    return tt.Trace(columns, Header().set("MaxProcs", processors))


@st.composite
def logs(draw, most=25):
    """Odd logs: ties, run times of 0, jobs of no user, overlaps, waits that are not known."""
    size = draw(st.integers(1, most))
    times = st.integers(0, 40).map(lambda k: k * 300.0)
    rows = [
        (
            draw(st.integers(-1, 2)), draw(times), draw(st.sampled_from([0.0, 0.0, 60.0, 900.0, np.nan, -5.0])),
            draw(st.sampled_from([0.0, 1.0, 300.0, 1500.0, 9000.0])), draw(st.integers(1, 4)),
        )
        for _ in range(size)
    ]  # fmt: skip
    user, submit, wait, runtime, width = (list(column) for column in zip(*rows, strict=True))
    wait[0] = 0.0  # a log without any wait is refused
    columns = {
        "id": np.arange(1, size + 1), "user": user, "submit": submit, "wait": wait, "runtime": runtime,
        "requested_processors": width, "requested_time": [draw(st.sampled_from([1.0, 600.0]))] * size,
    }  # fmt: skip
    return tt.Trace(columns, Header().set("MaxProcs", 4))


def jobs_of(trace, end):
    """The jobs as the twin takes them: (row, user, submit, end)."""
    return list(zip(range(len(trace)), trace.user.tolist(), trace.submit.tolist(), end.tolist(), strict=True))
