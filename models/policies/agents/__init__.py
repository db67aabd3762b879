"""An agent outside says which job starts next."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
