"""Pictures of one result or of several: each function returns a matplotlib `Figure`.

    picture = wait_by_width({"fcfs": first, "easy": second})
    save(picture, "waits.png")

Several results are given by name, usually that of the policy; a single result needs none. All pictures share one style
(`thinktime.analysis.pictures.style`), in which a policy keeps its colour.
"""

from thinktime.analysis.pictures.gantt import gantt
from thinktime.analysis.pictures.incentives import who_pays, work_by_hour
from thinktime.analysis.pictures.load_difference import difference_heatmap
from thinktime.analysis.pictures.power import power_over_time
from thinktime.analysis.pictures.stretches import stretch_histogram, virtual_and_real, worst_stretches
from thinktime.analysis.pictures.style import save
from thinktime.analysis.pictures.user_dots import user_comparison_chart
from thinktime.analysis.pictures.utilization import utilization_and_queue
from thinktime.analysis.pictures.waits import slowdown_distribution, wait_by_width, wait_curves
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "difference_heatmap", "gantt", "power_over_time", "save", "slowdown_distribution", "stretch_histogram",
    "user_comparison_chart", "utilization_and_queue", "virtual_and_real", "wait_by_width", "wait_curves", "who_pays",
    "work_by_hour", "worst_stretches",
]  # fmt: skip

import_on_demand(__name__)
