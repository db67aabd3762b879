"""The accounting of a Slurm site, as `sacct -P` prints it, into a `Trace` (and so into SWF).

`values` (times, memory, states, job numbers as Slurm writes them), `lines` (files to rows), `records` (job
lines, steps, attempts to one record per job), `names` (users, accounts, … by number), `convert` (to a trace
with its header and its cleaning report), `resources` (GPUs and the like as requests for nodes).

Source: the manual of sacct, https://slurm.schedmd.com/sacct.html, Slurm 14 to 24.
"""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.sacct.convert import ConversionOptions, Converted, convert
from thinktime.workloads.sacct.names import Names

__all__ = ["Converted", "Names", "ConversionOptions", "convert"]

import_on_demand(__name__)
