"""Expected end times of jobs (the expectations paper, section 3.2): Algorithm 1, by events instead of slots.

A job arrives at ``submit`` (s), requests ``request`` units of a resource and runs for ``runtime`` (s) in the given
schedule. Its user expects ``capacity`` units at any time. Time is divided into slots of 1 s, and a user's jobs are
taken in order of (submit, id). The EET is an absolute time. In a job's last slot the whole min(capacity left, request)
is taken, even if less work remains (lines 9 and 10 of the algorithm).

Our choices where the paper leaves it open: an arrival between two slots counts at the next one, so that no job is
expected earlier than it could end, and ``slot`` may have another length (2⁻¹⁰ s is, in effect, continuous time).
"""

from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thinktime.analysis.expectations.slots import plan
from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.names import quoted
from thinktime.workloads.units import Duration, as_seconds

SAFE = 2**62
"""Below this, all numbers of the plan fit 64-bit integers."""


def expected_ends(
    submit: npt.ArrayLike,
    request: npt.ArrayLike,
    runtime: npt.ArrayLike,
    capacity: npt.ArrayLike,
    user: npt.ArrayLike | None = None,
    number: npt.ArrayLike | None = None,
    slot: Duration = 1.0,
) -> Floats:
    """The EET (s) of each job, in the order given.

    ``capacity`` is one number, or one per job (what its user expects at its arrival). ``user`` are codes (default: one
    user), ``number`` the jobs' numbers, which break ties in submission (default: the order given). Requests and
    capacities are whole numbers; a job that requests nothing ends at its arrival.

    The paper's Table 1, with a capacity of 3:

    >>> expected_ends(submit=[0, 1], request=[2, 2], runtime=[4, 1], capacity=3).tolist()
    [4.0, 3.0]
    """
    slot = as_seconds("slot", slot)
    arrivals, runs = np.asarray(submit, np.float64), np.asarray(runtime, np.float64)
    requests = _whole("request", request, 0)
    capacities = np.broadcast_to(_whole("capacity", capacity, 1), arrivals.shape)
    users = np.zeros(len(arrivals), np.int64) if user is None else np.asarray(user)
    numbers = np.arange(len(arrivals)) if number is None else np.asarray(number)
    if not np.isfinite(arrivals).all() or not (np.isfinite(runs).all() and (runs >= 0).all()):
        raise ValueError("submit and runtime must be finite times, and runtime at least 0")
    ticks = round(slot * TICKS_PER_SECOND)
    if ticks < 1 or ticks != slot * TICKS_PER_SECOND:
        raise ValueError(f"slot must be a multiple of 1/1024 s, not {quoted(slot)}")
    order = np.lexsort((numbers, arrivals, users))
    found = np.empty(len(order))
    found[order] = slot * _planned(
        users[order], arrivals[order], requests[order], runs[order], capacities[order], ticks
    )
    return found


def _planned(users: AnyArray, submit: Floats, request: Whole, runtime: Floats, capacity: Whole, ticks: int) -> Floats:
    """EETs in slots, of jobs in order of (user, submit, number)."""
    first = np.flatnonzero(np.r_[True, users[1:] != users[:-1], True][: len(users) + 1])
    arrival = -(-_in_ticks(submit) // ticks)
    run = _in_ticks(runtime)
    if float((request * (run / ticks + 1.0)).max(initial=0.0)) < SAFE:
        work = _work(request, run, ticks)
        slots = -(-work // np.maximum(np.minimum(capacity, request), 1))
        if float(arrival.max(initial=0)) + float(slots.sum(dtype=np.float64)) < SAFE:
            return _run(plan, np.int64, first, arrival, request, work, capacity)
    work = _work(request.astype(object), run.astype(object), ticks)
    return _run(_without_limit(), object, first, arrival, request, work, capacity)


@cache
def _without_limit() -> Any:
    """The same function on Python's integers, which have no limit: `slots` as plain Python, whether compiled or not."""
    spec: Any = spec_from_file_location("slots_without_limit", Path(__file__).with_name("slots.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.plan


def _work(request: AnyArray, run: AnyArray, ticks: int) -> AnyArray:
    """Request * run / ticks, rounded up, without computing the whole product."""
    return np.asarray(request * (run // ticks) - (-request * (run % ticks) // ticks))


def _run(function: Any, kind: Any, first: Whole, *columns: AnyArray) -> Floats:
    longest = int(np.diff(first).max(initial=0)) + 2
    times, used = np.zeros(longest, kind), np.zeros(longest, kind)
    out = np.zeros(len(columns[0]), kind)
    function(first.astype(np.int64), *(column.astype(kind) for column in columns), times, used, out)
    return out.astype(np.float64)


def _in_ticks(times: Floats) -> Whole:
    return np.ceil(times * TICKS_PER_SECOND).astype(np.int64)


def _whole(name: str, values: npt.ArrayLike, least: int) -> Whole:
    numbers = np.asarray(values)
    if numbers.size and not ((numbers >= least).all() and (numbers == np.floor(numbers)).all()):
        raise ValueError(f"{name} must hold whole numbers of at least {least}, not {quoted(values)}")
    return numbers.astype(np.int64)
