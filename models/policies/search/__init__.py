"""Search-based policies."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
