"""Where jobs run, now and in times to come: on a pool or on nodes, with changes or without."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
