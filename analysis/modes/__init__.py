"""One log replayed in several ways: open-loop, with feedback, and with users drawn from it (`compare_modes`)."""

from thinktime.analysis.modes.mode_comparison import ModeComparison, legend, ranking, values_of
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.analysis.modes.user_measures import Measures
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Measures", "ModeComparison", "compare_modes", "legend", "ranking", "values_of"]

import_on_demand(__name__)
