"""What is told of schedules and their expected end times: `report`, and the pictures of the expectations paper."""

from thinktime.analysis.evaluation.figures import box_plots, heatmap_picture, job_metrics, pictures
from thinktime.analysis.evaluation.tables import report
from thinktime.workloads.lazy import import_on_demand

__all__ = ["box_plots", "heatmap_picture", "job_metrics", "pictures", "report"]

import_on_demand(__name__)
