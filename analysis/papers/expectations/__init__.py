"""The expectations paper: expected end times, and how schedules meet them."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
