"""From the present state of a machine forward: when waiting jobs will start, what if, and how good forecasts are."""

from thinktime.analysis.now.forecast import forecast
from thinktime.analysis.now.outlook import Outlook
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Outlook", "forecast"]

import_on_demand(__name__)
