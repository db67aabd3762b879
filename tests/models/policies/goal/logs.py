"""Logs of a machine in a time zone, for policies that look at local days."""

import datetime

from hypothesis import strategies as st

import thinktime as tt
from thinktime.workloads.header import Header

DAY = 86_400
START = 893_466_664  # 1998-04-24 18:11:04 in California
ZONE = datetime.timezone(datetime.timedelta(hours=-8))


def local_days(now):
    """The local day that holds now, in s since the log's start, at a fixed offset."""
    day = (now + START - 8 * 3600) // DAY
    begin = day * DAY - START + 8 * 3600
    return begin, begin + DAY


def trace_of(jobs):
    """The jobs as a log of a machine in that zone."""
    names = {"id": "id", "user": "user", "submit": "submit", "requested_processors": "n", "requested_time": "est"}
    columns = {name: [job[key] for job in jobs] for name, key in names.items()}
    header = Header().set("UnixStartTime", START).set("TimeZone", -8 * 3600)
    return tt.Trace(columns | {"runtime": [job["run"] for job in jobs]}, header)


def starts_of(jobs, policy, processors):
    """Starts by id, under the package's policy."""
    result = tt.replay(trace_of(jobs), policy, processors)
    return dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))


@st.composite
def logs(draw, most=14, horizon=3 * DAY, length=DAY):
    """Jobs of a few users over some days; run times at most the estimates, ties included."""
    hour = 3600
    job = st.fixed_dictionaries(
        {
            "user": st.integers(1, 4),
            "submit": st.integers(0, horizon // hour).map(lambda t: t * hour),
            "n": st.integers(1, 4),
            "est": st.integers(1, length // hour).map(lambda t: t * hour + 7),
            "part": st.sampled_from([0.0, 0.5, 1.0, 1.0]),
        }
    )
    jobs = draw(st.lists(job, min_size=1, max_size=most))
    jobs.sort(key=lambda job: job["submit"])
    return [job | {"id": i, "run": int(job["est"] * job["part"])} for i, job in enumerate(jobs, start=1)]
