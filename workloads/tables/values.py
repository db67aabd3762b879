"""From Arrow columns to numbers: durations, amounts, counts, names and numbers of jobs, by the rule of a mapping.

Unknown values are NaN (−1 in whole numbers and codes). What is no value of its kind raises a ``ValueError`` with the
row.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import AnyArray, Flags, Floats, Whole
from thinktime.workloads.names import quoted
from thinktime.workloads.tables.arrow import arrow
from thinktime.workloads.tables.clocks import times
from thinktime.workloads.tables.mapping import BYTES, SECONDS, ColumnRule
from thinktime.workloads.tables.parsing import (
    NOTHING,
    Found,
    as_float,
    cleaned,
    different,
    extracted,
    is_text,
    meaningless,
    numeric,
    plain,
)

LONGEST_LABEL = 10_000
"""The longest name of a user and the like, in characters."""
_CLOCK = re.compile(r"(?:(?:(\d+)[-:])?(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_DAYS = re.compile(r"(\d+)-(\d+)(?::(\d+))?(?::(\d+(?:\.\d+)?))?")
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGTP]?)(?:I?B)?([NC]?)", re.IGNORECASE)
_KILO = {"": None, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


def numbers(array: Any, column: str, rule: ColumnRule, found: Found, expected: str = "a number") -> Floats:
    """Numbers as they are written, without the unit."""
    if rule.total:
        return _totals(array) * rule.factor
    if rule.keys:
        return _of_keys(array, rule.keys, as_float)
    return plain(extracted(array, rule), column, rule, found, as_float, expected) * rule.factor


def durations(array: Any, column: str, rule: ColumnRule, found: Found) -> Floats:
    """Durations in s; infinite where they are written as unlimited."""
    scale = SECONDS[rule.unit or "s"] * rule.factor
    pa = arrow()
    if pa.types.is_duration(array.type):
        return numeric(array.cast(pa.duration("us")).cast(pa.int64())) * 1e-6
    if pa.types.is_timestamp(array.type):  # a deadline
        return times(array, column, rule, "UTC", found).early
    array = extracted(array, rule)
    if not rule.unlimited:
        return plain(array, column, rule, found, lambda text: _duration(text, scale), "a duration", scale)
    without = _is_one_of(array, rule.unlimited)
    known = arrow().compute.if_else(arrow().array(~without), array, arrow().scalar(None, array.type))
    values = plain(known, column, rule, found, lambda text: _duration(text, scale), "a duration", scale)
    values[without] = np.inf
    return values


def memory(array: Any, column: str, rule: ColumnRule, found: Found) -> tuple[Floats, Flags, Flags]:
    """Amounts in bytes, and which of them are for each node and for each core, where the value itself says so."""
    unit = BYTES[rule.unit or "B"]
    if rule.slurm_bit:
        whole = _unsigned(array)
        whole = whole.clip(min=0).astype(np.uint64) if whole.dtype.kind == "i" else whole
        per_core = whole >= np.uint64(2**63)
        values = (whole & np.uint64(2**63 - 1)).astype(np.float64) * unit
        return np.where(values > 0, values, np.nan), np.zeros(len(values), np.bool_), per_core
    letters = {"n": np.zeros(len(array), np.bool_), "c": np.zeros(len(array), np.bool_)}

    def amount(text: str) -> float | None:
        match = _MEMORY.fullmatch(text)
        if not match:
            return None
        return float(match[1]) * (_KILO[match[2].upper()] or unit)

    if rule.keys:
        return _of_keys(array, rule.keys, amount), letters["n"], letters["c"]
    texts = extracted(array, rule)
    values = plain(texts, column, rule, found, amount, "an amount of memory such as 16G", unit)
    if is_text(texts):
        for letter in letters:
            ends = arrow().compute.ends_with(arrow().compute.utf8_lower(texts.cast("string")), pattern=letter)
            letters[letter] = np.asarray(ends.fill_null(False))
    return np.where(values > 0, values, np.nan) * rule.factor, letters["n"], letters["c"]


def counts(array: Any, column: str, rule: ColumnRule, found: Found, by: Any = None) -> Whole:
    """Whole numbers, of which parts are rounded up; −1 where they are unknown or negative. ``by`` multiplies them."""
    values = numbers(array, column, rule, found, "a whole number")
    if by is not None:
        values = values * plain(by, rule.times, ColumnRule(column=rule.times), found, as_float, "a whole number")
    with np.errstate(invalid="ignore"):
        return np.where(values >= 0, np.ceil(values), -1.0).astype(np.int64).clip(max=2**31 - 1)


class Labels:
    """Names by code, for all files together."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def of(self, array: Any, column: str, rule: ColumnRule, found: Found) -> AnyArray:
        """The codes of a column's names; −1 where there is none."""
        if rule.pattern:
            array = extracted(array, rule)
        distinct, places = different(array)
        names = [self._name(value, column, rule, found) for value in distinct]
        known = [-1 if name is None else self.codes.setdefault(name, len(self.codes)) for name in names]
        return np.asarray(np.array([*known, -1], np.int32)[places])

    @staticmethod
    def _name(value: object, column: str, rule: ColumnRule, found: Found) -> str | None:
        if value is None or value != value:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        text = " ".join(str(value).split())
        if len(text) > LONGEST_LABEL:
            raise ValueError(
                f"{found.file}, column {quoted(column)}: a name has {len(text):,} characters, above {LONGEST_LABEL:,}"
            )
        return None if text.lower() in NOTHING or text in rule.missing else text

    @property
    def names(self) -> list[str]:
        """The names, in the order of their codes."""
        return list(self.codes)


class JobNumbers(NamedTuple):
    """The numbers of jobs, and their names where these are no numbers."""

    numbers: Whole
    texts: Any | None


def job_numbers(array: Any, column: str, rule: ColumnRule, found: Found) -> JobNumbers:
    """The numbers of jobs; a name such as job_17 is number 17, as long as all names of a file begin like that."""
    pa, pc = arrow(), arrow().compute
    if pa.types.is_integer(array.type) and not rule.pattern:
        return JobNumbers(_unsigned(array).astype(np.int64), None)
    if pa.types.is_floating(array.type):
        values = numeric(array)
        if (np.isnan(values) | (values == np.floor(values))).all():
            return JobNumbers(np.where(np.isnan(values), -1, values).astype(np.int64), None)
    texts = cleaned(extracted(array, rule), rule)
    parts = pc.extract_regex(texts, r"^(?P<before>\D*)(?P<number>\d{1,18})(?:\.0+)?$")
    before = pc.unique(pc.struct_field(parts, [0])).drop_null()
    lost = parts.null_count - texts.null_count
    if len(before) > 1 or lost:
        return JobNumbers(np.full(len(texts), -1, np.int64), texts)
    whole = pc.struct_field(parts, [1]).cast(pa.int64()).fill_null(-1)
    return JobNumbers(whole.to_numpy(), None)


def _unsigned(array: Any) -> AnyArray:
    """Whole numbers up to 2^64; 0 where there is none."""
    pa = arrow()
    if is_text(array):
        array = arrow().compute.utf8_trim_whitespace(array)
        array = arrow().compute.if_else(meaningless(array), None, array)
        try:
            array = array.cast(pa.uint64())
        except pa.ArrowInvalid:
            return numeric(array.cast(pa.float64())).clip(min=0).astype(np.uint64)
    filled = array.fill_null(-1 if pa.types.is_signed_integer(array.type) else 0)
    return np.asarray(
        filled.to_numpy() if isinstance(filled, pa.ChunkedArray) else filled.to_numpy(zero_copy_only=False)
    )


def _is_one_of(array: Any, texts: Sequence[str]) -> Flags:
    pc = arrow().compute
    if not is_text(array):
        values, wanted = numeric(array.cast("float64")), [as_float(text) for text in texts]
        return np.isin(values, [each for each in wanted if each is not None])
    small = pc.utf8_lower(pc.utf8_trim_whitespace(array))
    return np.asarray(pc.is_in(small, arrow().array([each.lower() for each in texts], small.type)))


def _totals(array: Any) -> Floats:
    """The sum of each list; NaN where it is empty or null."""
    pa = arrow()
    one = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if not len(one):
        return np.empty(0)
    sizes = numeric(pa.compute.list_value_length(one).fill_null(0)).astype(np.int64)
    flat = np.nan_to_num(numeric(one.flatten()))
    sums = np.concatenate([[0.0], np.cumsum(flat)])
    ends = np.cumsum(sizes)
    return np.where(sizes > 0, sums[ends] - sums[ends - sizes], np.nan)


def _of_keys(array: Any, keys: Sequence[str], parse: Callable[[str], float | None]) -> Floats:
    """The sum of the values of some keys in texts such as ``cpu=4,gres/gpu=2``, each text once; 0 if it has none."""
    distinct, places = different(array)
    known: list[float] = []
    for text in distinct:
        pairs = dict(part.strip().split("=", 1) for part in (text or "").split(",") if "=" in part)
        if not pairs:
            known.append(np.nan)
            continue
        known.append(sum(parse(pairs[key]) or 0.0 for key in keys if key in pairs))
    return np.asarray(np.array([*known, np.nan])[places])


def _duration(text: str, scale: float) -> float | None:
    """Seconds of D-HH:MM:SS, D:HH:MM:SS, HH:MM:SS or MM:SS."""
    if match := _DAYS.fullmatch(text):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if match := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
        return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return None
