"""Studies: many simulations held against a claim.

`feedback` is one about users who react, `urgent` one about jobs that send others away; those of the papers are in
`thinktime.analysis.papers`. What all are made of is `thinktime.analysis.study`.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
