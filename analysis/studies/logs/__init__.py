"""What logs of many years say of their users, and whether these have changed."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
