"""The Standard Workload Format (SWF 2.2): reading and writing the logs of parallel machines.

`header` (the comment lines and their labels), `lines`, `tokens` and `records` (from a file to numbers), `read` (into a
`Trace` with its cleaning report), `digits` and `write` (back to a file).

Source: Feitelson et al., https://www.cs.huji.ac.il/labs/parallel/workload/swf.html.
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
