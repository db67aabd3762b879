"""From the present state of a machine forward: when waiting jobs will start, what if, and how good forecasts are."""

from thinktime.analysis.now.draws import Past
from thinktime.analysis.now.forecast import ARRIVALS, forecast
from thinktime.analysis.now.kept import Kept
from thinktime.analysis.now.outlook import ARRIVING, SHARES, Outlook
from thinktime.analysis.now.regression import Regression
from thinktime.analysis.now.scoring import ERRORS, HORIZONS, OURS, Score, score
from thinktime.models.snapshot.logged import Logged, state_in_log
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "ARRIVALS", "ARRIVING", "ERRORS", "HORIZONS", "OURS", "SHARES", "Kept", "Logged", "Outlook", "Past", "Regression",
    "Score", "forecast", "score", "state_in_log",
]  # fmt: skip

import_on_demand(__name__)
