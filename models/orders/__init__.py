"""Who is next in the queue."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
