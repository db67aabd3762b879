"""Where it runs: the machine, its scheduler process, policies, results."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
