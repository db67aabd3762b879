"""A machine of nodes with several resources: its pool, where jobs fit, and the rules that it has."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
