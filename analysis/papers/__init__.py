"""The studies of the five papers, a folder each, with the same files in each.

`study` draws the workload and runs it, `printed` has what the paper prints, `findings` what it claims and whether it is
seen here, `figures` the counterparts of its figures, `tables` those of its tables.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
