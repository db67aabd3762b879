"""What happens on machines that change."""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
