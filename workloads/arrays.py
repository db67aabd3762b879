"""Types of arrays and tables, and `pd`: pandas, imported when it is first used, since that takes long."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, NewType

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    from pandas import DataFrame as DataFrame
    from pandas import Series as Series

    pd = pandas
else:

    class _Pandas:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("pandas"), name)

    pd = _Pandas()
    DataFrame, Series = NewType("DataFrame", object), NewType("Series", object)

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Rows = NDArray[np.int64]
"""The numbers of rows of a table."""
NO_ROWS: Rows = np.empty(0, np.int64)
Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]
AnyArray = NDArray[Any]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Table = NDArray[Any]
"""Two dimensions: a row for each column of a log."""
IntTable = NDArray[np.signedinteger[Any]]
CodeTable = NDArray[np.integer[Any]]
"""Codes in two dimensions."""


def writable(rows: Ints) -> Ints:
    """The same rows as compiled code takes them: a copy, if they may only be read."""
    return rows if rows.flags.writeable else rows.copy()
