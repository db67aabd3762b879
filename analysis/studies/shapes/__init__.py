"""The study of shapes: malleable jobs, what they gain in an open loop, and what is left with users who wait."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
