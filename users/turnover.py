"""Populations that grow and shrink: users come, stay for a while, and go.

`turnover` is a process that starts users. When a user comes, for how long, and what it does depend only on the
seed and the user's number, not on the policy or the other users.
"""

import math
from collections.abc import Callable, Generator

import simpy

from thinktime.models.machine import Machine
from thinktime.users.campaign_user import campaign_user
from thinktime.users.profiles import Profile
from thinktime.users.sampling import draws, usable
from thinktime.workloads.generators.quantities import Quantity
from thinktime.workloads.streams import Seed, stream


def turnover(
    env: simpy.Environment,
    machine: Machine,
    profile: Profile | Callable[[int], Profile],
    seed: Seed,
    between: Quantity | None = None,
    stay: Quantity | None = None,
    start: int = 0,
    until: float = math.inf,
    name: str = "user",
) -> Generator[simpy.Event, None, None]:
    """A population as a process: ``env.process(turnover(env, machine, profile, seed=1, between=DAY, start=10))``.

    ``start`` users are there from the beginning, and another comes after each time ``between`` (s; default: none
    come) up to ``until`` (s). Each stays for a time ``stay`` (s; default: for good). A user who has left submits
    nothing more, and submitted jobs run to their end. So a population without ``stay`` grows, one without ``between``
    shrinks, and one with both tends to stay / between users (means). Users are called ``user 1``, ``user 2``, … and
    have the same profile, or the one that a function returns for their number.
    """
    if isinstance(start, bool) or not isinstance(start, int) or start < 0:
        raise ValueError(f"start must be a whole number of users of at least 0, not {start!r}")
    gaps = None if between is None else draws(between, stream(seed, name, "between"), "between")
    count = 0
    while count < start or gaps is not None:
        if count >= start:
            assert gaps is not None
            come = env.now + usable(next(gaps), name, "between")
            if come > until:
                return
            yield env.timeout(come - env.now)
        count += 1
        label = f"{name} {count}"
        leave = math.inf
        if stay is not None:
            drawn = next(draws(stay, stream(seed, label, "stay"), "stay"))
            leave = env.now + usable(drawn, label, "stay")
        own = profile if isinstance(profile, Profile) else profile(count)
        env.process(campaign_user(env, machine, label, stream(seed, label), own, until=leave))
