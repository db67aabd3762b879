"""The studies of the five papers, a folder each, with the same files in each.

`study` has the options, the tasks and the evidence, `runs` one task and its answer, `printed` the numbers that the
paper prints, `findings` what it claims and whether it is seen here, `figures` the counterparts of its figures, `tables`
those of its tables.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
