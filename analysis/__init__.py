"""Tables and pictures of results, for comparing policies.

* `compare`, `user_comparison`: several results in one table;
* `stretch`: response times, stretches, OStrich's virtual schedule and its bounds;
* `checkpoints`: the intervals of Young and Daly, and how long a job with checkpoints takes;
* `queueing`: closed forms (M/M/c, M/M/c//N, closed networks, bounds) to check simulations against;
* `satisfaction`: complaints about waits beyond what users accept;
* `series`: step functions of time;
* `pictures`: utilization and queue, waits, slowdowns, users, campaigns, Gantt charts; `save` writes them.

Measures of a single result are in `thinktime.models.results.measures`. pandas and matplotlib are loaded at first use.
"""

from thinktime.analysis import checkpoints, pictures, queueing, satisfaction, series, stretch
from thinktime.analysis.compare import compare, user_comparison
from thinktime.analysis.pictures.style import colour_of, save
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "checkpoints", "stretch", "colour_of", "compare", "pictures", "queueing", "satisfaction", "save", "series",
    "user_comparison",
]  # fmt: skip

import_on_demand(__name__)
