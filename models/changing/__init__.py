"""Machines that change: windows, outages, and jobs that are interrupted.

* `rules`: what changes, and what then happens to jobs
* `timeline`: the changes of one run, in order
* `pool`: the pool of such a machine
* `runs`: the runs of jobs, and what became of their work
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
