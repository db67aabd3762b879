"""Properties of a log: its arrivals, jobs, users and sessions, in numbers and pictures."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
