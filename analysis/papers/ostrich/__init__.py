"""The ostrich paper: campaigns, virtual fair sharing, stretch."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
