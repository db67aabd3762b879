"""States of machines in files: plain data, which nothing is unpickled from (docs/reference/states.md)."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
