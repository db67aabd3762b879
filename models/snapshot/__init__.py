"""The state of a real Slurm at one moment: a folder of what its commands print, and a machine that goes on from it.

* `folder`: the files of such a folder and the commands that print them; `taking` runs these, `anonymous` replaces names
* `records`: the lines of files, and the report; `clock`, `jobs`, `usage`, `windows`: what they say
* `submissions`: jobs as those of a machine; `restoring`: the machine, played up to the moment; `reading`: all of it
* `writing`, `printing`: such a folder again
* `logged`: the state at a moment of a log
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
