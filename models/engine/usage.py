"""Decaying usage of all accounts at once.

Symbols: ``usage[a]`` is what account a had used by ``since`` (in units of ``rate`` times seconds), ``rate[a]`` is
what its running jobs use per second since then, and ``jobs[a]`` is the number of these jobs. Usage decays by a
``factor`` at the times origin + k period or, with a ``half_life`` above 0, continuously.
"""

from __future__ import annotations

import math

from thinktime.models.engine import arithmetic
from thinktime.models.engine.codes import usage as usage_codes
from thinktime.models.engine.structure import Structure
from thinktime.workloads.arrays import Floats, Ints


class Usage(Structure):
    """What some accounts have used."""

    FIELDS = {"usage": Floats, "rate": Floats, "jobs": Ints}
    NUMBERS = {"since": 0.0, "period": 1.0, "origin": 0.0, "factor": 1.0, "half_life": 0.0}
    usage: Floats
    rate: Floats
    jobs: Ints
    since: float
    """Up to when ``usage`` counts, s."""
    period: float
    """The time between two decays, s."""
    origin: float
    """The time of one of them, s."""
    factor: float
    """What usage is multiplied by."""
    half_life: float
    """The time, s, in which usage halves where it decays continuously; 0 if it does not."""

    def bring_up(self, now: float) -> None:
        """Bring the usage of all accounts up to now."""
        usage_at(self, now, self.usage)
        self.since = now

    def change_rate(self, account: int, amount: float, sign: int) -> None:
        """A job of an account starts or ends (``sign``)."""
        self.jobs[account] += sign
        self.rate[account] = self.rate[account] + sign * amount if self.jobs[account] > 0 else 0.0

    def charge(self, now: float, accounts: Ints, amounts: Floats, sign: int) -> None:
        """Jobs of ``accounts`` start or end (``sign``): bring usage up to now, then change the rates."""
        self.bring_up(now)
        for i in range(len(accounts)):
            self.change_rate(accounts[i], amounts[i], sign)


def usage_at(accounts: Usage, now: float, out: Floats) -> None:
    """Write every account's usage at ``now`` to ``out``, which may be ``usage``; a decay at ``now`` has taken place."""
    usage, rate, then, half_life = accounts.usage, accounts.rate, accounts.since, accounts.half_life
    period, origin, factor = accounts.period, accounts.origin, accounts.factor
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
