"""Signals: prices, the carbon of electricity and tariffs as step functions of time.

* `signal`: the step function, its exact integral; `units`: what it counts, and per which energy
* `file`: CSV files of their steps
* `made`: daily and weekly cycles, and wind
* `forecasts`: what policies and users know of it
"""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.signals.forecasts import Forecast
from thinktime.workloads.signals.made import Cycle, daily, wind
from thinktime.workloads.signals.signal import Signal

__all__ = ["Cycle", "Forecast", "Signal", "daily", "wind"]

import_on_demand(__name__)
