"""Convert the accounting of a Slurm site, as `sacct -P`, `sacct --json` or `squeue --json` print it, to a `Trace`.

`values` (times, memory, states and job numbers as Slurm writes them), `lines` (texts to rows), `json_dump` (JSON to
such rows), with `json_text` (long files in pieces) and `json_values`, `records` (a job line to a record), `attempts`
(steps and attempts of each job), `names` (users, accounts, … by number), `convert` (to a trace with header and cleaning
report), `resources` (GPUs and other resources as node requests), `submit_lines` and `conditions` (dependencies, holds
and arrays), `read` (a log without a file between).

Source: the manual of sacct, https://slurm.schedmd.com/sacct.html, Slurm 14 to 26.
"""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.sacct.convert import ConversionOptions, Converted, convert
from thinktime.workloads.sacct.name_file import Names, read_names
from thinktime.workloads.sacct.read import read_sacct

__all__ = ["ConversionOptions", "Converted", "Names", "convert", "read_names", "read_sacct"]

import_on_demand(__name__)
