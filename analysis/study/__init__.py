"""What a study is made of: many simulations, held against what is claimed.

`Study` is the protocol: options, tasks, evidence, and a `Report` of it, with `Finding` for each claim. A study is a
guest of the package: a folder that imports what is public, this, and its own files. So those of
`thinktime.analysis.papers` and `thinktime.analysis.studies` are examples of how to use the package.

    import thinktime as tt
    from thinktime.analysis.study import Finding, Report, Study, option
"""

from thinktime.analysis.json_values import attributes
from thinktime.analysis.named_table import NONE, Table, cell, two_digits
from thinktime.analysis.parallel import Task
from thinktime.analysis.report import Report
from thinktime.analysis.study.base import StudiedLog, Study, grouped, option, size_of
from thinktime.analysis.study.finding import SHORT, Finding, Thresholds, together, verdicts
from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.units import in_two_units

__all__ = [
    "NONE", "SHORT", "Finding", "Report", "StudiedLog", "Study", "Table", "Task", "Thresholds", "attributes",
    "cell", "grouped", "in_two_units", "key_of", "option", "quoted", "shortened", "size_of", "together",
    "two_digits", "verdicts",
]  # fmt: skip

import_on_demand(__name__)
