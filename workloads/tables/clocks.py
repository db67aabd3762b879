"""Times of a table: in a zone of their own or the mapping's, as texts, timestamps or numbers.

Numbers that would be thousands of years away are in a smaller unit than the mapping says, and are taken as such, which
is noted.
"""

import datetime
from typing import Any, NamedTuple

import numpy as np

from thinktime.workloads.arrays import Floats
from thinktime.workloads.tables.arrow import arrow
from thinktime.workloads.tables.mapping import SECONDS, ColumnRule
from thinktime.workloads.tables.parsing import NUMBER, Found, as_float, cleaned, extracted, numeric, plain

FAR = 1e11
"""Seconds since 1970 in the year 5138: from here on, numbers are in a smaller unit."""
ABSOLUTE = 3e8
"""Seconds since 1970 in 1979: clocks that show less count from the beginning of the data."""
_OFFSET = r"([+-]\d{2}:?\d{2}|Z)$"


class Moments(NamedTuple):
    """Times in s since 1970, or since the beginning of the data; twice where clocks showed the same hour twice."""

    early: Floats
    late: Floats


def times(array: Any, column: str, rule: ColumnRule, zone: str, found: Found) -> Moments:
    """Times; those without a zone are in this one."""
    pa, pc = arrow(), arrow().compute
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_timestamp(array.type):
        return _zoned(array, zone)
    if pa.types.is_date(array.type):
        return _zoned(array.cast(pa.timestamp("us")), zone)
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return _epoch(plain(array, column, rule, found, as_float, "a time") * rule.factor, column, rule, found)
    texts = extracted(array, rule)
    if rule.unit:  # texts of numbers
        return _epoch(plain(texts, column, rule, found, as_float, "a time"), column, rule, found)
    texts = cleaned(texts, rule)
    known = texts.drop_null()
    if not len(known):
        return Moments(*[np.full(len(array), np.nan)] * 2)
    if NUMBER.fullmatch(known[0].as_py()):
        return _epoch(plain(texts, column, rule, found, as_float, "a time"), column, rule, found)
    aware = pc.match_substring_regex(texts, _OFFSET).fill_null(False)
    some, all_ = pc.any(aware).as_py(), len(known) == pc.sum(aware).as_py()
    try:
        if all_:
            return _zoned(pc.cast(texts, pa.timestamp("us", "UTC")), zone)
        if not some:
            return _zoned(pc.cast(texts, pa.timestamp("us")), zone)
    except pa.ArrowInvalid:
        pass
    return _one_by_one(texts, column, zone, found)


def _zoned(array: Any, zone: str) -> Moments:
    pa, pc = arrow(), arrow().compute
    if array.type.tz is not None:
        values = _seconds(array)
        return Moments(values, values)
    naive = array.cast(pa.timestamp("us"), safe=False)
    if zone == "UTC":
        values = _seconds(naive)
        return Moments(values, values)
    twice = (pc.assume_timezone(naive, zone, ambiguous=which, nonexistent="latest") for which in ("earliest", "latest"))
    return Moments(*map(_seconds, twice))


def _seconds(array: Any) -> Floats:
    pa = arrow()
    whole = array.cast(pa.timestamp("us", array.type.tz), safe=False).cast(pa.int64())
    return numeric(whole) * 1e-6


def _one_by_one(texts: Any, column: str, zone: str, found: Found) -> Moments:
    pa = arrow()
    kept: list[Any] = []
    local: list[Any] = []
    for row, text in enumerate(texts.to_pylist()):
        moment = None
        if text is not None:
            try:
                moment = datetime.datetime.fromisoformat(text)
            except ValueError:
                raise found.wrong(column, row, text, "a time such as 2024-03-31 14:05:00") from None
        kept.append(moment if moment is not None and moment.tzinfo else None)
        local.append(moment if moment is not None and not moment.tzinfo else None)
    aware = _seconds(pa.array(kept, pa.timestamp("us", "UTC")))
    early, late = _zoned(pa.array(local, pa.timestamp("us")), zone)
    return Moments(*(np.where(np.isnan(aware), each, aware) for each in (early, late)))


def _epoch(values: Floats, column: str, rule: ColumnRule, found: Found) -> Moments:
    values = values * SECONDS[rule.unit or "s"]
    most = np.nanmax(values, initial=-np.inf)
    finite = bool(np.isfinite(most))
    steps = 0
    while finite and most >= FAR:
        values, most, steps = values / 1000, most / 1000, steps + 1
    if steps:
        smaller = {1: "ms", 2: "us", 3: "ns"}.get(steps, "a smaller unit")
        found.note("repaired", f"{column} was in {smaller}, and not in {rule.unit or 's'}", len(values))
    if finite and most > ABSOLUTE:
        values = np.where(values <= 0, np.nan, values)
    return Moments(values, values)
