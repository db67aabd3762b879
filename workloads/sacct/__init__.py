"""Convert the accounting of a Slurm site, as printed by `sacct -P`, to a `Trace` (and so to SWF).

`values` (times, memory, states and job numbers as Slurm writes them), `lines` (files to rows), `records` (a job
line to a record), `attempts` (steps and attempts of each job), `names` (users, accounts, … by number), `convert`
(to a trace with header and cleaning report), `resources` (GPUs and other resources as node requests), `submit_lines`
and `conditions` (dependencies, holds and arrays).

Source: the manual of sacct, https://slurm.schedmd.com/sacct.html, Slurm 14 to 26.
"""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.sacct.convert import ConversionOptions, Converted, convert
from thinktime.workloads.sacct.name_file import Names, read_names

__all__ = ["ConversionOptions", "Converted", "Names", "convert", "read_names"]

import_on_demand(__name__)
