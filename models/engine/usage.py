"""Decaying usage of all accounts at once.

Symbols: ``usage[a]`` is what account a had used by ``clock[0]`` (in units of ``rate`` times seconds), ``rate[a]`` is
what its running jobs use per second since then, and ``jobs[a]`` is the number of these jobs. Usage decays by a
``factor`` at the times origin + k period or, with a ``half_life`` above 0, continuously.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.workloads.arrays import Floats, Ints


def usage_at(
    now: float,
    clock: Floats,
    usage: Floats,
    rate: Floats,
    period: float,
    origin: float,
    factor: float,
    half_life: float,
    out: Floats,
) -> None:
    """Write every account's usage at ``now`` to ``out``, which may be ``usage``; a decay at ``now`` has taken place."""
    then = clock[0]
    if half_life > 0.0:
        kept = 2.0 ** (-(now - then) / half_life)
        gained = (1.0 - kept) * half_life / 0.6931471805599453
        for a in range(len(usage)):
            out[a] = usage[a] * kept + rate[a] * gained
        return
    first = periods(then - origin, period) + 1.0
    last = periods(now - origin, period)
    decays = last - first + 1.0
    if decays <= 0.0:
        for a in range(len(usage)):
            out[a] = usage[a] + rate[a] * (now - then)
        return
    head = origin + first * period - then
    tail = now - (origin + last * period)
    left = 0.0 if decays <= usage_codes.MANY else decays - 1.0
    kept = factor**left
    gained = left * period if factor == 1.0 else period * factor * (1.0 - kept) / (1.0 - factor)
    for a in range(len(usage)):
        value = factor * (usage[a] + rate[a] * head)
        if decays > usage_codes.MANY:
            value = value * kept + rate[a] * gained
        else:
            for _ in range(int(decays) - 1):  # objects: once for all accounts
                value = factor * (value + rate[a] * period)
        out[a] = value + rate[a] * tail


def periods(time: float, period: float) -> float:
    """How many whole periods there are in a time, exactly as Python's ``//``, which C does not have."""
    rest = math.fmod(time, period)
    found = (time - rest) / period
    if rest != 0.0 and (rest < 0.0) != (period < 0.0):
        found -= 1.0
    whole = arithmetic.floor(found)
    return whole + 1.0 if found - whole > 0.5 else whole


def bring_up(
    now: float,
    clock: Floats,
    usage: Floats,
    rate: Floats,
    period: float,
    origin: float,
    factor: float,
    half_life: float,
) -> None:
    """Bring the usage of all accounts up to now."""
    usage_at(now, clock, usage, rate, period, origin, factor, half_life, usage)
    clock[0] = now


def change_rate(account: int, amount: float, sign: int, rate: Floats, jobs: Ints) -> None:
    """A job of an account starts or ends (``sign``)."""
    jobs[account] += sign
    rate[account] = rate[account] + sign * amount if jobs[account] > 0 else 0.0


def charge(
    now: float,
    accounts: Ints,
    amounts: Floats,
    sign: int,
    clock: Floats,
    usage: Floats,
    rate: Floats,
    jobs: Ints,
    period: float,
    origin: float,
    factor: float,
    half_life: float,
) -> None:
    """Jobs of ``accounts`` start or end (``sign``): bring usage up to now, then change the rates."""
    bring_up(now, clock, usage, rate, period, origin, factor, half_life)
    for i in range(len(accounts)):
        change_rate(accounts[i], amounts[i], sign, rate, jobs)
