"""The jobs of a log that was replayed under a runtime limit: one row per job, not per segment."""

from thinktime.models.results import measures
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats
from thinktime.workloads.pandas_types import DataFrame
from thinktime.workloads.segments import Segments


def originals(result: Result, segments: Segments, **sums: Floats) -> DataFrame:
    """The log's jobs that ran: id, processors, segments, submit, start, end, run, wait, response time (s).

    A job is submitted and starts with its first segment, and ends with its last one. ``run`` and ``wait`` are sums over
    its segments, so response_time = wait + run. ``segments`` is the split log (`thinktime.workloads.segments.split`).
    Further columns in ``sums``, with one value per row of the result, are also summed over a job's segments.
    """
    import pandas as pd

    ran = measures.ended(result)
    columns = {name: result[name][ran] for name in ("submit", "start", "end")}
    columns |= {"run": measures.actual_runtime(result)[ran], "wait": measures.wait(result)[ran]}
    columns |= {name: values[ran] for name, values in sums.items()}
    parts = pd.DataFrame(columns).groupby(segments.originals(result["id"][ran]))
    how = {"submit": "min", "start": "min", "end": "max"}
    table = parts.agg({name: how.get(name, "sum") for name in columns})
    known = table.index.to_numpy()
    for place, name in enumerate(("id", "processors")):
        table.insert(place, name, getattr(segments.trace, name)[known])
    table.insert(2, "segments", parts.size())
    table.insert(8, "response_time", table["end"] - table["submit"])
    return table.reset_index(drop=True)
