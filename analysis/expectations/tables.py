"""The jobs of a schedule with what was expected of them, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.analysis.expectations.evaluate import Expectations, name_of

if TYPE_CHECKING:
    import pandas as pd


def jobs_table(jobs: Expectations) -> pd.DataFrame:
    """One row per job: times in s, memory in bytes and other resources (of the whole job), ``violated`` as 0 or 1."""
    import pandas as pd

    columns = {
        name: getattr(jobs, name) for name in ("id", "submit", "start", "end", "processors", "memory", "eet")
    }
    frame = pd.DataFrame(columns)
    frame.insert(1, "user", [name_of(label) for label in jobs.user.tolist()])
    for name, amounts in jobs.others.items():
        frame[name] = amounts
    frame["tardiness"] = jobs.tardiness
    frame["violated"] = jobs.violated.astype(int)
    return frame
