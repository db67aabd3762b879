"""What a log says of its users: whether they wait for results, and the clock moves them, and which mode to trust."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
