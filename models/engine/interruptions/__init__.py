"""How running jobs are interrupted, and what becomes of them."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
