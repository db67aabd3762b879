"""Types of NumPy arrays, under short names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Rows = NDArray[np.int64]
"""Row numbers."""
Flags = NDArray[np.bool_]
Codes = NDArray[np.int8]
AnyArray = NDArray[Any]
