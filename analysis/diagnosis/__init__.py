"""What a log says of its users: whether they wait for results, and the clock moves them, and which mode to trust."""

from thinktime.analysis.diagnosis.diagnose import NUMBERS, QUICK, Diagnosis, diagnose
from thinktime.analysis.diagnosis.signs import signs_of
from thinktime.analysis.diagnosis.trust import Signs, Trust, advise
from thinktime.workloads.lazy import import_on_demand

__all__ = ["NUMBERS", "QUICK", "Diagnosis", "Signs", "Trust", "advise", "diagnose", "signs_of"]

import_on_demand(__name__)
