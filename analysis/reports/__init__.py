"""Reports: one page that shows what an experiment was, what came out, and what to be wary of.

* `units`: what the number of a metric is, in which unit people read it, and with how many digits
* `comparisons`: means with intervals, and differences from the baseline, by metric, point and policy
* `checklist`: the pitfalls of evaluations, and which of them this experiment avoids
* `pictures`, `drawing`: the figures, and how they become part of a page
* `page`: the page itself, from the template page.html and page.css
"""

from thinktime.analysis.reports.checklist import Checklist, Item, checklist
from thinktime.analysis.reports.comparisons import Comparisons, compared
from thinktime.analysis.reports.page import report, write_pictures
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Checklist", "Comparisons", "Item", "checklist", "compared", "report", "write_pictures"]

import_on_demand(__name__)
