"""What a site records of a run: whole seconds, estimates rounded up, nothing of who waited for what.

The log is written as a file and read back, so that a prediction is made from what a real log would have. Jobs that had
not ended when the log was taken are not in it.
"""

import tempfile
from pathlib import Path

import numpy as np

from thinktime.models.results.result import Result
from thinktime.models.results.swf_export import as_trace
from thinktime.models.state import State
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.swf.write import write_swf
from thinktime.workloads.trace import Trace


def recorded(result: Result) -> Trace:
    """The log of a run, as it is read."""
    with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
        path = Path(folder) / "site.swf"
        write_swf(written(result), path)
        return read_swf(path)[0]


def written(result: Result) -> Trace:
    """The log of a run, as it is written."""
    log = as_trace(result)
    over = np.isin(log.id, result["id"][result["state"] >= State.FINISHED])
    log = log.select(over)
    started = log.wait >= 0
    submit, start = np.round(log.submit), np.round(log.submit + log.wait)
    end = np.round(log.submit + log.wait + log.runtime)
    return log.with_columns(
        submit=submit,
        wait=np.where(started, start - submit, log.wait),
        runtime=np.where(np.isfinite(end), end - start, log.runtime),
        requested_time=np.ceil(log.requested_time),
        preceding=np.full(len(log), -1),
        think_time=np.full(len(log), np.nan),
    )
