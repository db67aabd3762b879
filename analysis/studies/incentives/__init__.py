"""The study of incentives: demand response, carbon-aware starts, charges and budgets, with users who answer."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
