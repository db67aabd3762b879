"""A site out of Slurm's files.

* `conf_lines`: slurm.conf with its Includes, `scontrol show config`, and the records of `scontrol -o show`
* `values`: times, amounts and lists as Slurm writes them
* `nodes`, `partitions`, `settings`, `scheduler_parameters`: what is in them
* `associations` (`sacctmgr dump`, `sacctmgr -P show assoc tree`), `qualities` (`sacctmgr -P show qos`),
  `shares` (`sshare -a -l -P`): tables of the accounting
* `importing`: all of it together
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
