"""Convert traces to and from pandas tables.

The table has the eighteen columns of `columns.COLUMNS` (in s and KB per processor; −1 or NaN for missing) and, if
the log has text after field 18, a column `extra`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray, DataFrame, Flags, Series, pd
from thinktime.workloads.columns import BY_NAME, coerce
from thinktime.workloads.names import key_of, quoted

ALIASES = {"processors": "requested_processors", "estimate": "requested_time"}
"""Alternative names of columns."""


def table_of(columns: Mapping[str, AnyArray], extra: Sequence[object] | None) -> DataFrame:
    """The columns of a trace as a table, one row per job, with a column `extra` if there are such texts."""
    frame = pd.DataFrame({name: array.copy() for name, array in columns.items()})
    if extra is not None:
        frame["extra"] = pd.Series(list(extra), dtype=object)
    return frame


def columns_of(frame: DataFrame) -> tuple[dict[str, AnyArray], list[str | None] | None]:
    """The checked columns of a trace, and its extra texts, from such a table (see `Trace.from_frame`)."""
    given = _columns(frame)
    extra = given.pop("extra", None)
    columns = {name: coerce(BY_NAME[name], values) for name, values in given.items()}
    _check(columns)
    texts = None if extra is None else [value if isinstance(value, str) else None for value in extra]
    return columns, texts


def _columns(frame: DataFrame) -> dict[str, AnyArray]:
    columns: dict[str, AnyArray] = {}
    for label in frame.columns:
        name = ALIASES.get(label, label)
        if name not in BY_NAME and name != "extra":
            raise ValueError(
                f"a trace has no column {quoted(label)}, so rename or drop it; "
                f"{key_of(str(label).lower(), [*BY_NAME, *ALIASES], 'its columns')}"
            )
        if name in columns:
            raise ValueError(f"the columns {quoted(label)} and {quoted(name)} mean the same; keep one of them")
        columns[name] = _values(frame[label])
    for name in ("submit", "runtime", "requested_processors"):
        if name not in columns:
            called = "processors" if name == "requested_processors" else name
            raise ValueError(f"the table has no column {quoted(called)}; it has {', '.join(map(repr, frame.columns))}")
    return columns


def _values(series: "Series[Any]") -> AnyArray:
    """Return numbers unchanged and the rest as objects, with None for missing values."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return series.to_numpy()
    return series.astype(object).where(series.notna(), None).to_numpy(dtype=object)


def _check(columns: dict[str, AnyArray]) -> None:
    """Raise ValueError for the first row that no machine could run."""
    for name in ("submit", "runtime"):
        values = columns[name]
        _refuse(name, values, ~((values >= 0) & np.isfinite(values)), "a time of at least 0 s")
    requested = columns["requested_processors"]
    width = np.where(requested > 0, requested, columns.get("allocated", requested))
    _refuse("requested_processors", requested, width < 1, "at least 1 processor")


def _refuse(name: str, values: AnyArray, bad: Flags, expected: str) -> None:
    rows = np.flatnonzero(bad)
    if rows.size:
        found = values[rows[0]].item()
        raise ValueError(f"row {rows[0]} of column {quoted(name)} is {quoted(found)}, but must be {expected}")
