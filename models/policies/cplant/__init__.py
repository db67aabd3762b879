"""CPlant: fair share with a starvation queue."""

from thinktime.models.policies.cplant.policy import CPlant as CPlant
from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
