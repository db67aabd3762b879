"""Reports: one page with the setup of an experiment, its results, and their pitfalls.

* `checklist`: the pitfalls of evaluations, and which of them this experiment avoids
* `pictures`, `drawing`: the figures, and how they are embedded in a page
* `page`: the page itself, from the template page.html and page.css
"""

from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import Comparisons
from thinktime.analysis.reports.checklist import Checklist, Item, checklist
from thinktime.analysis.reports.page import report, write_pictures
from thinktime.workloads.lazy import import_on_demand

__all__ = ["Checklist", "Comparisons", "Item", "checklist", "compared", "report", "write_pictures"]

import_on_demand(__name__)
