"""Studies: many simulations held against a claim.

`study` says what a study is, `finding` what it looks for, `table` what it shows. `feedback` is one about users who
react, `urgent` one about jobs that send others away; those of the papers are in `thinktime.analysis.papers`.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
