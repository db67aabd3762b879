"""Workloads: jobs, the logs of real machines, and the random streams behind synthetic ones.

`job` (one job), `trace` (a log as columns), `swf` (reading and writing logs), `archive` (downloading them),
`streams` (one random generator per user), `shaking` (how much of a result is chance), `grid` and `units` (time).
"""

from thinktime.workloads.archive import fetch
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.grid import TICK, ceil_to_grid, to_grid
from thinktime.workloads.header import Header
from thinktime.workloads.job import Job
from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.shaking import shaken
from thinktime.workloads.streams import stream, streams
from thinktime.workloads.swf.lines import SWFError
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.swf.write import write_swf
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, MINUTE, WEEK

__all__ = [
    "DAY", "HOUR", "MINUTE", "TICK", "WEEK", "CleaningReport", "Header", "Job", "SWFError", "Trace",
    "ceil_to_grid", "fetch", "read_swf", "shaken", "stream", "streams", "to_grid", "write_swf",
]  # fmt: skip

import_on_demand(__name__)
