"""A site as it is configured: nodes, partitions, QOS, accounts with shares, limits, priorities, backfill, preemption.

Values only, which Slurm's configuration describes and `thinktime.models.site.site.Site` puts together. Names are those
of Slurm 22.05, and so are the defaults. Times are seconds.

* `accounts`: the tree of accounts and users; `limits`: what they and QOS may use
* `qos`, `partitions`, `priority`, `backfill`, `preemption`, `time_limits`: one part of the configuration each
* `tres`: amounts of trackable resources
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
