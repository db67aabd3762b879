"""Decaying usage of all accounts at once.

Symbols: ``usage[a]`` is what account a had used by ``clock[0]`` (in units of ``rate`` times seconds), ``rate[a]`` is
what its running jobs use per second since then, and ``jobs[a]`` is the number of these jobs. Usage decays by a
``factor`` at the times origin + k period or, with a ``half_life`` above 0, continuously.
"""

from thinktime.workloads.compiler import Floats, Ints, kernel, whole

START, END = whole(1), whole(-1)  # signs of a charge
MANY = 64  # periods at once beyond which a closed form replaces the loop


@kernel
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
        for a in range(usage.size):
            out[a] = usage[a] * kept + rate[a] * gained
        return
    first = (then - origin) // period + 1.0
    last = (now - origin) // period
    decays = last - first + 1.0
    if decays <= 0.0:
        for a in range(usage.size):
            out[a] = usage[a] + rate[a] * (now - then)
        return
    head = origin + first * period - then
    tail = now - (origin + last * period)
    left = 0.0 if decays <= MANY else decays - 1.0
    kept = factor**left
    gained = left * period if factor == 1.0 else period * factor * (1.0 - kept) / (1.0 - factor)
    for a in range(usage.size):
        value = factor * (usage[a] + rate[a] * head)
        if decays > MANY:
            value = value * kept + rate[a] * gained
        else:
            for _ in range(int(decays) - 1):
                value = factor * (value + rate[a] * period)
        out[a] = value + rate[a] * tail


@kernel
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
    usage_at(now, clock, usage, rate, period, origin, factor, half_life, usage)
    clock[0] = now
    for i in range(accounts.size):
        a = accounts[i]
        jobs[a] += sign
        rate[a] = rate[a] + sign * amounts[i] if jobs[a] > 0 else 0.0
