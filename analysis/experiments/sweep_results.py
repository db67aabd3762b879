"""The results of a sweep, for scripts and notebooks.

A notebook shows means with intervals and differences from the baseline: a row for each metric and a column for each
policy if nothing varies, else a row for each point and policy and a column for each metric. Of a large sweep it shows
the first rows, and only the means, which are quick to compute.
"""

from thinktime.analysis.experiments.against_baseline import compared
from thinktime.analysis.experiments.comparisons import MOST_ROWS, more_rows, shown
from thinktime.analysis.experiments.folder import SweepFolder
from thinktime.analysis.experiments.metric_units import plain, words
from thinktime.workloads.html import paragraph, table

MOST_RUNS = 2000
"""With more runs than this, a notebook shows means without testing differences."""


class Sweep(SweepFolder):
    """The results of a sweep: ``Sweep("results/")`` opens a folder written by `sweep` or ``thinktime run``.

    It may be read while the sweep is running; every table has the runs finished at that moment. ``ValueError`` is
    raised if there are no results in the folder.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        title = paragraph(repr(self).strip("<>"))
        if not len(self):
            return title
        return title + (_means(self) if len(self) > MOST_RUNS else compared(self)._repr_html_())


def _means(sweep: SweepFolder) -> str:
    means = sweep.means()
    keys = ["policy", *sweep.parameters]
    head = [*keys, *(words(name) for name in sweep.metrics)]
    rows = []
    for index, values in zip(means.index[:MOST_ROWS], means.to_numpy()[:MOST_ROWS], strict=True):
        own = index if isinstance(index, tuple) else (index,)
        rows.append([*map(shown, own), *(plain(float(value)) for value in values)])
    return table(head, rows, keys=len(keys)) + more_rows(len(means))
