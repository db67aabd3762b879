"""The explorer: results on one page to look into, with processors, queue, jobs and users on one axis of time.

* `reading`: what `thinktime view` can open: folders of results, files of results, logs
* `why`: why each job waited, as sentences
* `lanes`: what each user did over time: wait, run, think
* `boxes`: where jobs were, as rectangles over time and processors or nodes
* `content`: all of that as compact arrays
* `plots`: the empty panels, drawn by Bokeh (the extra `view`)
* `page`: the page itself, from page.html, page.css and script/, which fill the panels with what is in view
"""

from thinktime.analysis.view.page import view
from thinktime.analysis.view.reading import opened
from thinktime.workloads.lazy import import_on_demand

__all__ = ["opened", "view"]

import_on_demand(__name__)
