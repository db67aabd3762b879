"""Users fitted to a log: what the fit says, as sentences, tables, numbers and pictures."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
