"""Columns of values that may be labels of any kind."""

from typing import Any

import numpy as np
import numpy.typing as npt


def as_column(values: list[Any], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """The values as an array of a type, one by one: labels may be lists."""
    array = np.empty(len(values), kind)
    array[:] = values
    return array
