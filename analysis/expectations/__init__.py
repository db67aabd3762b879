"""Expected end times, and how well a schedule meets them (the expectations paper)."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
