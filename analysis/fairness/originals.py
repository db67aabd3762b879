"""The jobs of a log that was replayed under a runtime limit: one row per job, not per segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.segments import Segments

if TYPE_CHECKING:
    import pandas as pd


def originals(result: Result, segments: Segments, **sums: npt.NDArray[np.float64]) -> pd.DataFrame:
    """The log's jobs that ran: id, processors, segments, submit, start, end, run, wait, response time (s).

    A job is submitted and starts with its first segment, and ends with its last one. ``run`` and ``wait`` are sums over
    its segments, so response_time = wait + run. ``segments`` is the split log (`thinktime.workloads.segments.split`).
    Further columns in ``sums``, with one value per row of the result, are also summed over a job's segments.
    """
    import pandas as pd

    ran = measures.ended(result)
    rows = segments.originals(result["id"][ran])
    parts = pd.DataFrame(
        {
            "row": rows,
            "submit": result["submit"][ran],
            "start": result["start"][ran],
            "end": result["end"][ran],
            "run": measures.actual_runtime(result)[ran],
            "wait": measures.wait(result)[ran],
            **{name: values[ran] for name, values in sums.items()},
        }
    ).groupby("row")
    first, last, total = parts.min(), parts.max(), parts.sum()
    known = first.index.to_numpy()
    return pd.DataFrame(
        {
            "id": segments.trace.id[known],
            "processors": segments.trace.processors[known],
            "segments": parts.size().to_numpy(),
            "submit": first["submit"].to_numpy(),
            "start": first["start"].to_numpy(),
            "end": last["end"].to_numpy(),
            "run": total["run"].to_numpy(),
            "wait": total["wait"].to_numpy(),
            "response_time": (last["end"] - first["submit"]).to_numpy(),
            **{name: total[name].to_numpy() for name in sums},
        }
    )
