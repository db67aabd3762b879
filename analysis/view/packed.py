"""Content as JSON and one block of bytes: JSON says of what numbers each column is, and where in the block it lies.

A column is the lowest bytes of all its numbers, then the next bytes, and so on: high bytes of neighbours are alike, so
that gzip needs a third less. Whole columns that never decrease are differences.
"""

import base64
import gzip
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray

NUMBERS = "numbers"
"""The key by which a column is known in JSON; its value is the type of the numbers."""


def packed(content: Any) -> tuple[Any, str]:
    """Plain values, with a note in place of each array, and the block: gzip in base 64."""
    block = bytearray()
    tree = _noted(content, block)
    return tree, base64.b64encode(gzip.compress(bytes(block), compresslevel=6, mtime=0)).decode("ascii")


def unpacked(tree: Any, block: str) -> Any:
    """The content that was packed."""
    return _read(tree, np.frombuffer(gzip.decompress(base64.b64decode(block)), np.uint8))


def _noted(value: Any, block: bytearray) -> Any:
    if isinstance(value, dict):
        return {key: _noted(each, block) for key, each in value.items()}
    if isinstance(value, list):
        return [_noted(each, block) for each in value]
    if not isinstance(value, np.ndarray):
        return value
    grows = value.dtype.kind == "i" and bool((value[1:] >= value[:-1]).all())
    numbers = np.diff(value, prepend=value.dtype.type(0)) if grows else value
    note = {NUMBERS: value.dtype.name, "count": len(value), "at": len(block), "grows": grows}
    block += numbers.astype(numbers.dtype.newbyteorder("<")).view(np.uint8).reshape(-1, value.itemsize).T.tobytes()
    return note


def _read(value: Any, block: AnyArray) -> Any:
    if isinstance(value, list):
        return [_read(each, block) for each in value]
    if not isinstance(value, dict):
        return value
    if NUMBERS not in value:
        return {key: _read(each, block) for key, each in value.items()}
    kind = np.dtype(value[NUMBERS]).newbyteorder("<")
    count, at = value["count"], value["at"]
    planes = block[at : at + count * kind.itemsize].reshape(kind.itemsize, count)
    numbers = np.frombuffer(planes.T.tobytes(), kind)
    return np.cumsum(numbers, dtype=kind) if value["grows"] else numbers
