"""Texts of a table as numbers, and what is said where they are none."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.workloads.arrays import AnyArray, Floats
from thinktime.workloads.names import quoted
from thinktime.workloads.tables.arrow import arrow
from thinktime.workloads.tables.mapping import ColumnRule

NOTHING = frozenset(
    {"", "none", "null", "nan", "nat", "na", "n/a", "unknown", "invalid", "not_set", "(null)", "none assigned", "\\n"}
)
"""How tables write that a value is unknown, in small letters."""
NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)


@dataclass(slots=True)
class Found:
    """What is odd in a file, by what is said of it."""

    file: str
    first_row: int = 0
    """The row of the file with which the batch begins, from 1."""
    notes: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, action: str, reason: str, count: int) -> None:
        """Count so many values that were dropped, repaired or noted, for a reason."""
        if count:
            self.notes[action, reason] += count

    def wrong(self, column: str, row: int, value: object, expected: str) -> ValueError:
        """The error for a value that is none of its kind."""
        where = f"{self.file}, row {self.first_row + row:,}, column {quoted(column)}"
        return ValueError(f"{where}: found {quoted(value)}, expected {expected}")


def is_text(array: Any) -> bool:
    """Whether a column holds texts."""
    types = arrow().types
    kind = array.type.value_type if types.is_dictionary(array.type) else array.type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def extracted(array: Any, rule: ColumnRule) -> Any:
    """What the pattern of a rule finds in each text; without one, the column as it is."""
    if arrow().types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if not rule.pattern:
        return array
    if not is_text(array):
        array = array.cast(arrow().string())
    named = re.sub(r"\((?!\?)", "(?P<value>", rule.pattern, count=1)
    return arrow().compute.struct_field(arrow().compute.extract_regex(array, named), [0])


def meaningless(texts: Any, missing: Sequence[str] = ()) -> Any:
    """Which texts mean that nothing is known."""
    pc = arrow().compute
    small = pc.utf8_lower(texts)
    of = arrow().array([*NOTHING, *(each.lower() for each in missing)], small.type)
    return pc.is_in(small, of)


def cleaned(texts: Any, rule: ColumnRule) -> Any:
    """Texts without blanks around them, and null for what means nothing."""
    pc = arrow().compute
    if not is_text(texts):
        texts = texts.cast(arrow().string())
    texts = pc.utf8_trim_whitespace(texts)
    return pc.if_else(meaningless(texts, rule.missing), arrow().scalar(None, texts.type), texts)


def plain(
    array: Any,
    column: str,
    rule: ColumnRule,
    found: Found,
    parse: Callable[[str], float | None],
    expected: str,
    scale: float = 1.0,
) -> Floats:
    """Numbers; texts that are none are parsed, each once. ``scale`` is what plain numbers are multiplied by."""
    pa, pc = arrow(), arrow().compute
    if not is_text(array):
        if pa.types.is_null(array.type):
            return np.full(len(array), np.nan)
        try:
            values = numeric(array.cast(pa.float64(), safe=False))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ValueError(f"{found.file}: column {quoted(column)} has {array.type}, expected {expected}") from None
        lacking = [each for each in map(as_float, rule.missing) if each is not None]
        return np.where(np.isin(values, lacking), np.nan, values) * scale if lacking else values * scale
    try:
        if not rule.missing:
            return numeric(pc.cast(array, pa.float64())) * scale
    except pa.ArrowInvalid:
        pass
    texts = cleaned(array, rule)
    try:
        return numeric(pc.cast(texts, pa.float64())) * scale
    except pa.ArrowInvalid:
        pass
    distinct, places = different(texts)
    known = []
    for text in distinct:
        number = as_float(text)
        value = parse(text) if number is None else number * scale
        if value is None:
            row = int(np.flatnonzero(np.asarray(pc.equal(texts, text).fill_null(False)))[0])
            raise found.wrong(column, row, text, expected)
        known.append(value)
    return np.asarray(np.array([*known, np.nan])[places])


def different(array: Any) -> tuple[list[Any], AnyArray]:
    """The different values of a column, and which of them each row has: one after the last, for null."""
    coded = array if arrow().types.is_dictionary(array.type) else array.dictionary_encode()
    values = coded.dictionary.to_pylist()
    return values, coded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)


def numeric(array: Any) -> Floats:
    """Numbers as floats, NaN for null."""
    pa = arrow()
    if array.type != pa.float64():
        array = array.cast(pa.float64(), safe=False)
    values = array.to_numpy() if isinstance(array, pa.ChunkedArray) else array.to_numpy(zero_copy_only=False)
    return np.array(values, np.float64)


def as_float(text: str) -> float | None:
    """A text as a number; None if it is none."""
    return float(text) if NUMBER.fullmatch(text) else None
