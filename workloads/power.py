"""Power: how it is given, and that of the jobs of a log, for each of their processors above what an idle machine draws.

Power is a multiple of 2⁻¹⁰ W, as times are multiples of 2⁻¹⁰ s, so that sums and differences are exact.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from thinktime.workloads.arrays import Flags, Floats
from thinktime.workloads.grid import to_grid
from thinktime.workloads.names import did_you_mean, key_of, quoted

if TYPE_CHECKING:
    from thinktime.workloads.trace import Trace

Watts = float | str
"""A number of watts, or a text such as "90 kW" (`watts`)."""
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}

STEP = 2.0**-10
"""The grid of power, W."""
NO_CAP = 2**52
"""Power that nothing limits, in steps of the grid."""
MOST = 100_000.0
"""More than any processor or node draws, W."""
LEAST = 1.0
"""Processors and nodes that draw something draw as much, W; less is likely to be in kW."""


def watts(name: str, value: object) -> float:
    """Power in W, on its grid: a number of at least 0, or a text such as "90 kW".

    >>> watts("cap", "1.5 kW")
    1500.0
    """
    found = value
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*([kMG]?)W?\s*", value)
        try:
            found = float(match[1]) * PREFIXES[match[2]] if match else None
        except ValueError:
            found = None
    if not isinstance(found, bool) and isinstance(found, numbers.Real) and 0 <= float(found) < math.inf:
        return to_grid(float(found))
    raise ValueError(f"{name} must be watts of at least 0, or a text such as '90 kW', not {quoted(value)}")


def plausible(name: str, value: object) -> float:
    """The power of a processor or a node, W; ``ValueError`` if it must have another unit."""
    found = watts(name, value)
    if found > MOST:
        raise ValueError(
            f"{name} is {found:,.15g} W for a single processor or node, and more than {MOST:,.15g} W cannot be meant: "
            "give watts"
        )
    return found


def power_of(trace: Trace) -> Floats | None:
    """For each job the watts of each processor (NaN: unknown), plausible or not; None if nothing is known of any.

    It is the column ``power`` of a data set, the mean power of the whole job, or else its ``energy`` (J) over its run
    time, divided by its processors.
    """
    power, energy = trace.further.get("power"), trace.further.get("energy")
    if power is None and energy is None:
        return None
    whole = np.full(len(trace), np.nan) if power is None else power
    if energy is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            whole = np.where(np.isnan(whole), energy / trace.runtime, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = whole / trace.processors
    known = is_plausible(each)
    found: Floats = np.where(known, to_grid(np.where(known, each, 0.0)), each)
    return found


TABLED = ("user", "group", "queue", "partition", "executable")
"""By what a table may give the power of jobs."""


def with_power(trace: Trace, watts_of: Mapping[str | int, Watts], by: str = "user") -> Trace:
    """The same log, with the watts of each processor above idle from a table by user, executable or partition.

    Jobs of those that are not in the table keep what the log says. ``ValueError`` for those that the log does not have.

    >>> from thinktime.workloads.trace import Trace
    >>> log = Trace({"submit": [0, 0], "runtime": [9, 9], "allocated": [1, 2], "user": [1, 2]})
    >>> power_of(with_power(log, {2: 50}))
    array([nan, 50.])
    """
    if by not in TABLED:
        raise ValueError(f"power cannot be by {quoted(by)}; {key_of(by, TABLED, 'the columns')}")
    names, codes = trace.names.get(by, {}), getattr(trace, by)
    code_of = {str(names.get(code, code)): code for code in sorted(set(codes.tolist()))}
    known = power_of(trace)
    each = np.full(len(trace), np.nan) if known is None else known.copy()
    for label, value in watts_of.items():
        if str(label) not in code_of:
            hint = did_you_mean(str(label), code_of)
            raise ValueError(
                f"the log has no {by} {quoted(label)}, of whom there is a power{f'; {hint}' if hint else ''}"
            )
        each[codes == code_of[str(label)]] = plausible(f"the power of {by} {label}", value)
    further = {name: column for name, column in trace.further.items() if name != "energy"}
    further["power"] = each * trace.processors
    return type(trace)(trace.columns, trace.header, trace.extra, trace.names, trace.report, further)


def is_plausible(each: Floats) -> Flags:
    """Whether each of some numbers can be the watts of a processor; those that are not known cannot."""
    found: Flags = np.isfinite(each) & (each >= 0) & (each <= MOST)
    return found
