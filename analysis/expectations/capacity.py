"""The capacity that a user expects: the paper's ExpectedCapacity, "a virtual share of the system" (section 3.1).

The paper gives no value. Our choices:

``active``    (default) ceil(P / k), where k is the time average, from the first submission to the last end, of the
              number of users with a job waiting or running;
``users``     ceil(P / number of users of the schedule);
``shares``    ceil(P w / sum of w), by the users' shares w, 1 unless given;
a number      the same constant for all users.

A capacity has an amount of each resource: processors and, on a machine of nodes, memory and any others (GPUs, …).
Amounts for single users override these. A resource that such amounts, or a constant, do not name is not judged. With
``fairshare`` (the paper's future work), a job's capacity is that of its user times min(1, 2^(1 - U / S)). U is the
user's share of all usage at the job's arrival, decayed with a half-life, and S the fair share (capacity over machine).
The form is that of the fairshare factor of batch systems, 2^(-U / S).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thinktime.models.results.measures import Spans
from thinktime.workloads.arrays import AnyArray, Floats, Whole
from thinktime.workloads.grid import TICKS_PER_SECOND
from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.units import DAY

RULES = ("active", "users", "shares", "constant")
Amounts = Mapping[str, int]
"""Amounts of resources by name: ``processors``, ``memory`` (bytes), and any others of the nodes."""
Given = Amounts | tuple[int, int | None]
"""Amounts by name, or (processors, bytes of memory); None: memory is not judged."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """How capacities are chosen; see the module's docstring."""

    rule: str = "active"
    constant: Given | None = None
    of_users: Mapping[Any, Given] = field(default_factory=dict)
    shares: Mapping[Any, float] = field(default_factory=dict)
    fairshare: bool = False
    half_life: float = DAY

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"the rule of a capacity is {quoted(self.rule)}, but must be one of {', '.join(RULES)}")
        if (self.rule == "constant") != (self.constant is not None):
            what = "amounts by resource, or (processors, bytes or None)"
            raise ValueError(f"a constant is needed for the rule 'constant' and for no other: {what}")
        for given in (self.constant, *self.of_users.values()):
            if given is not None:
                amounts_of(given)
        for user, share in self.shares.items():
            if not 0 < share < np.inf:
                raise ValueError(f"the share of user {shortened(user, 40)} must be above 0, not {quoted(share)}")
        if not self.half_life > 0:
            raise ValueError(f"half_life must be a time in s above 0, not {quoted(self.half_life)}")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The capacities chosen for one machine and its users."""

    amounts: Amounts
    """The amount of each judged resource that a user expects."""
    of_users: Mapping[Any, Amounts]
    """The amounts of users who expect something else."""
    said: str
    """The choice as text."""
    half_life: float | None = None
    """The half-life of usage (s), if past usage lowers the capacity; else None."""

    @property
    def processors(self) -> int:
        """The processors that a user expects."""
        return self.amounts["processors"]

    def of(self, user: Any) -> Amounts:
        """What one user expects."""
        return self.of_users.get(user, self.amounts)


def amounts_of(given: Given) -> dict[str, int]:
    """Amounts by name: at least one processor, and at least 1 of every other resource.

    >>> amounts_of((8, None)), amounts_of((8, 2**30)), amounts_of({"processors": 8, "gpus": 1})
    ({'processors': 8}, {'processors': 8, 'memory': 1073741824}, {'processors': 8, 'gpus': 1})
    """
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        processors, memory = given
        found = {"processors": processors} | ({} if memory is None else {"memory": memory})
    if "processors" not in found or min(found.values()) < 1:
        raise ValueError(f"a capacity must have processors, and at least 1 of each resource, not {quoted(given)}")
    return found


def choose(
    capacity: Capacity, machine: Amounts, user: AnyArray, submit: Floats, end: Floats, where: str = ""
) -> Chosen:
    """Choose the capacities for a machine from a schedule: the user, submission (s) and end (s) of each job."""
    known = np.isfinite(submit) & np.isfinite(end)
    labels, codes = codes_of(user[known])
    if not len(labels):
        raise ValueError("no job of the schedule has ended, so there are no expectations")
    machine = {name: amount for name, amount in machine.items() if amount}
    per_user: dict[Any, Amounts] = {}
    base: Amounts
    if capacity.rule == "constant":
        assert capacity.constant is not None
        base, said = amounts_of(capacity.constant), "constant"
    elif capacity.rule == "users":
        base, said = _part(machine, 1, len(labels)), f"machine / {len(labels)} users"
    elif capacity.rule == "shares":
        weights = {label: float(capacity.shares.get(label, 1.0)) for label in labels}
        total = sum(weights.values())
        base = _weighted(machine, 1.0 / total)
        per_user = {label: _weighted(machine, w / total) for label, w in weights.items() if w != 1.0}
        said = f"machine by shares of {len(labels)} users (of a user with share 1)"
    else:
        busy, span = active_time(codes, submit[known], end[known])
        base = _part(machine, span, busy) if busy else machine
        said = f"machine / {busy / span if span else 1:.2f} users active on average{where}"
    per_user.update({user: amounts_of(given) for user, given in capacity.of_users.items()})
    if capacity.fairshare:
        said += f", less after much usage (half-life {capacity.half_life / DAY:g} d)"
    return Chosen(base, per_user, said, capacity.half_life if capacity.fairshare else None)


def active_time(user: Whole, submit: Floats, end: Floats) -> tuple[int, int]:
    """The sum over users of the time with a job waiting or running, and the time from first submission to last end.

    Both are exact, in ticks of 2⁻¹⁰ s. Their ratio is the mean number of active users.

    >>> active_time(np.array([0, 0, 1]), np.array([0.0, 2.0, 4.0]), np.array([3.0, 5.0, 10.0]))
    (11264, 10240)
    """
    order = np.lexsort((submit, user))
    users, since, until = user[order], _ticks(submit[order]), _ticks(end[order])
    span = int(until.max() - since.min())
    base = (users - users.min()) * (2 * int(until.max() - since.min()) + 2)  # users one after another
    begins, reach = since - since.min() + base, np.maximum.accumulate(until - since.min() + base)
    new = np.r_[True, begins[1:] > reach[:-1]]
    last = np.r_[np.flatnonzero(new)[1:] - 1, len(new) - 1]
    return int((reach[last] - begins[new]).sum()), span


def fairshare_factor(
    user: Whole, submit: Floats, runs: Spans, weight: Floats, fair: Floats, half_life: float
) -> Floats:
    """min(1, 2^(1 - U / S)) at each job's arrival; ``fair`` is its user's S, ``weight`` its processors.

    ``runs`` are the intervals in which the jobs ran.
    """
    n = len(user)
    times = np.concatenate([runs.begin, runs.end, submit])
    kind = np.repeat([0, 1, 2], [len(runs.row), len(runs.row), n])
    job = np.concatenate([runs.row, runs.row, np.arange(n)])
    decay = np.log(2.0) / half_life
    used, rate, now = np.zeros(int(user.max(initial=-1)) + 1), np.zeros(int(user.max(initial=-1)) + 1), 0.0
    total = total_rate = 0.0
    last = np.zeros(len(used))
    factor = np.ones(n)
    for at in np.lexsort((kind, times)).tolist():
        time, what, j = times.item(at), kind[at], job[at]
        u = user[j]
        kept = np.exp(-decay * (time - now))
        total, now = total * kept + total_rate * (1.0 - kept) / decay, time
        own = np.exp(-decay * (time - last[u]))
        used[u], last[u] = used[u] * own + rate[u] * (1.0 - own) / decay, time
        if what == 2:
            part = used[u] / total if total > 0 else 0.0
            factor[j] = min(1.0, 2.0 ** (1.0 - part / fair[j]))
        else:
            change = weight[j] if what == 0 else -weight[j]
            rate[u] += change
            total_rate += change
    return factor


def codes_of(labels: AnyArray) -> tuple[list[Any], Whole]:
    """Codes of labels of any type, in order of occurrence."""
    known: dict[Any, int] = {}
    codes = np.array([known.setdefault(label, len(known)) for label in labels.tolist()], np.int64)
    return list(known), codes


def _part(machine: Amounts, above: int, below: int) -> Amounts:
    """The machine times ``above`` / ``below``, rounded up, but at most the machine."""
    return {name: max(1, min(units, -(-units * above // below))) for name, units in machine.items()}


def _weighted(machine: Amounts, part: float) -> Amounts:
    return {name: max(1, min(units, int(np.ceil(units * part - 1e-9)))) for name, units in machine.items()}


def _ticks(times: Floats) -> Whole:
    return np.rint(times * TICKS_PER_SECOND).astype(np.int64)
