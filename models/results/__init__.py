"""Results of a run: their tables, measures and files."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
