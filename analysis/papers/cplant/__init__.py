"""The cplant paper: fairshare, the starvation queue, and fair start times."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
