"""The study of forecasts from the present: whether intervals hold what they say, in worlds whose truth is known."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
