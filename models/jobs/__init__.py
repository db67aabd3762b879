"""The jobs of a machine: their columns, who waits and who runs, what policies see of them and propose."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
