"""Data sets of jobs as tables: parquet, CSV, JSON lines and others, read into a `Trace` by a declarative mapping.

`mapping` (what a preset's TOML says), `presets` (one file for each data set), `files` (where the tables are),
`layouts` (from files to Arrow tables), `values` (from Arrow to numbers), `rows` (the jobs of all files), `cleaning`
(what is dropped and noted), `machine` (nodes and requests), `reader` (into a `Trace`), `guess` (a draft of a mapping),
`write` (a `Trace` as parquet).
"""

from thinktime.workloads.lazy import import_on_demand

import_on_demand(__name__)
