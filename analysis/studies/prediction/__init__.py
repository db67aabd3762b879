"""The prediction study: which way of replaying a log predicts what would really happen."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
