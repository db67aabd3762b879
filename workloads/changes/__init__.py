"""A machine that changes: windows that are known ahead, and outages that are not.

* `windows`: maintenance, reservations, and machines that grow or shrink; `window_checks`: several of them together
* `outages`: which processors or nodes are down, and when
* `failures`: random outages, from distributions of up times and repair times; `drawing` draws them step by step
* `events_file`: windows and outages in one CSV file; `outage_logs`: logs of outages, also of the Failure Trace Archive
"""

from thinktime.workloads.changes.drawing import Drawing
from thinktime.workloads.changes.events_file import EventsRead, read_events, write_events
from thinktime.workloads.changes.failures import Failures
from thinktime.workloads.changes.outage_logs import read_outages, write_outages
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.window_checks import check_windows
from thinktime.workloads.changes.windows import Window, capacity, repeat
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "Drawing", "EventsRead", "Failures", "Outages", "Window", "capacity", "check_windows", "read_events",
    "read_outages", "repeat", "write_events", "write_outages",
]  # fmt: skip

import_on_demand(__name__)
