"""Studies: the experiments of the papers, run again.

A study draws its workload, runs it under the policies that the paper compares, in parallel, and puts what
the paper prints beside what came out. `ostrich` is the first; `parallel` and `intervals` serve them all.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
