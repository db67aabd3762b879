"""The goal paper: search-based scheduling with several goals, and relative fairshare."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
