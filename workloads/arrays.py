"""Types of arrays and tables. pandas is imported only where tables are made, since that takes long."""

from typing import TYPE_CHECKING, Any, NewType

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
    from pandas import Series as Series
else:
    DataFrame, Series = NewType("DataFrame", object), NewType("Series", object)

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Rows = NDArray[np.int64]
"""Row numbers."""
Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]
AnyArray = NDArray[Any]
