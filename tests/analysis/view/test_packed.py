"""Content survives its way into the page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from thinktime.analysis.view.packed import packed, unpacked
from thinktime.workloads.arrays import AnyArray

COLUMNS = [
    np.array([], np.int32),
    np.array([3, 3, 7, 2**31 - 1], np.int32),
    np.array([-(2**31), 5, -1], np.int32),
    np.array([-300, 0, 300], np.int16),
    np.array([255, 0, 255], np.uint8),
    np.array([0, 255], np.uint8),
    np.array([0.1, np.nan, np.inf, -0.0]),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.dtype}-{len(column)}")
def test_columns_are_the_same_to_the_last_bit(column: AnyArray) -> None:
    """Whatever the numbers are, growing or not."""
    tree, block = packed({"a": [{"b": column}], "numbers of": 3})
    found = unpacked(json.loads(json.dumps(tree)), block)
    assert found["numbers of"] == 3
    assert found["a"][0]["b"].dtype == column.dtype
    assert found["a"][0]["b"].tobytes() == column.tobytes()


def test_the_same_content_gives_the_same_text() -> None:
    """No clock and no name is in it."""
    assert packed({"a": np.arange(5)}) == packed({"a": np.arange(5)})
