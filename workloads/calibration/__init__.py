"""Users fitted to a log: when each of them submits next is a hazard."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
