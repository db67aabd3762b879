"""The feedback study: how far apart the answers of open loop and feedback are, and for whom."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
