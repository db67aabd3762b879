"""From the present state of a machine forward: when waiting jobs will start, what if, and how good forecasts are."""

from thinktime.analysis.now.draws import Past
from thinktime.analysis.now.forecast import forecast
from thinktime.analysis.now.kept import Kept
from thinktime.analysis.now.outlook import SHARES, Outlook
from thinktime.analysis.now.scoring import OURS, Score, score
from thinktime.workloads.lazy import import_on_demand

__all__ = ["OURS", "SHARES", "Kept", "Outlook", "Past", "Score", "forecast", "score"]

import_on_demand(__name__)
