"""Who submits jobs, and what becomes of those who wait for each other."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
