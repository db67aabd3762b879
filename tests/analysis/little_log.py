"""A log of a little machine in California, crowded by day, over a change of clocks."""

import datetime
import zoneinfo

import numpy as np

import thinktime as tt
from thinktime.workloads.header import Header

DAY = 86_400
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
