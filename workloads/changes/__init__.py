"""A machine that changes: windows that are known ahead, and outages that are not.

* `windows`: maintenance, reservations, and machines that grow or shrink
* `outages`: which processors or nodes are down, and when
* `failures`: outages drawn from distributions of up times and repair times
* `events_file`: windows and outages in one CSV file; `outage_logs`: logs of outages
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
