"""Profiles, which describe a user's campaigns, and mixes of them.

``SHORT`` and ``LONG`` are the profiles of the ostrich paper's section 6: run times uniform on [1, 3600] s and on
[3600, 36000] s, and a job starts a new campaign with probability 0.02, so a campaign has 50 sequential jobs on average
(geometric). The paper gives no think time; 18,000 s was fitted by the study of the paper (see its page).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.models.machine.job_records import CampaignRecord
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.local_hours import WorkingHours, checked_hours
from thinktime.workloads import checks
from thinktime.workloads.generators.owners import apportioned
from thinktime.workloads.generators.quantities import LONG as LONG_RUNTIME
from thinktime.workloads.generators.quantities import SHORT as SHORT_RUNTIME
from thinktime.workloads.generators.quantities import Geometric, Quantity
from thinktime.workloads.names import explain_arguments, key_of, quoted
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.units import as_seconds


@dataclass(frozen=True, slots=True)
class Reaction:
    """A think time that depends on how the last campaign went.

    ``Reaction(lambda last, rng: 60 + 0.5 * last.elapsed)``: ``last`` is a `CampaignRecord`
    (``elapsed``, ``wait``, ``response_time``, ``stretch``, …), ``rng`` the user's generator for think times; the result
    is in seconds. A campaign that was given up has no ``response_time`` and no ``stretch`` (NaN); ``elapsed`` is how
    long it took to be over, served or not.

    >>> reaction = Reaction(lambda last, rng: rng.exponential(0.5 * last.elapsed))
    >>> Profile(runtime=60, jobs=3, think_time=reaction).think_time == reaction
    True
    """

    function: Callable[[CampaignRecord, np.random.Generator], float]


@explain_arguments
@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The description of a user's campaigns.

    Every field up to ``first`` is a `Quantity`: a number, a distribution or a function of a generator; times may also
    be texts such as "20 min". ``runtime`` of
    a job (s), ``jobs`` in a campaign, ``think_time`` (s) from the end of a campaign to the next submission (or a
    `Reaction`), ``processors`` of a job, ``overestimate``: the factor from a job's run time to its estimate,
    ``first``: when the first campaign is submitted (s). Numbers of jobs and processors are rounded, and at least 1. On
    a machine of nodes, ``nodes`` may be the request of each job (``"2:ppn=8:mem=4gb"``), and replaces ``processors``.
    ``hours`` are the user's `WorkingHours`, if any, and ``behaviours`` how the user reacts, in the order in which they
    are asked (see `thinktime.users.behaviours`). ``group``, ``queue`` and ``partition`` are those of every job; on the
    machine of a site, they are the account, the QOS and the partition.

    ``TypeError`` for what is no behaviour.

    >>> Profile(runtime=3600, jobs=20, think_time=Reaction(lambda last, rng: 0.5 * last.elapsed)).processors
    1
    """

    runtime: Quantity | str
    jobs: Quantity
    think_time: Quantity | Reaction | str
    processors: Quantity = 1
    overestimate: Quantity = 1.0
    first: Quantity | str = 0.0
    nodes: str | NodeRequest | None = None
    hours: WorkingHours | None = None
    behaviours: tuple[Behaviour, ...] = ()
    group: str | int | None = None
    queue: str | int | None = None
    partition: str | int | None = None

    @property
    def labels(self) -> dict[str, str | int]:
        """Group, queue and partition of its jobs, if they have any."""
        given = {name: getattr(self, name) for name in ("group", "queue", "partition")}
        return {name: label for name, label in given.items() if label is not None}

    def __post_init__(self) -> None:
        behaviours: Any = self.behaviours
        given = (behaviours,) if isinstance(behaviours, Behaviour) else tuple(behaviours)
        for each in given:
            if not isinstance(each, Behaviour):
                fix = f"write {each.__name__}(…)" if isinstance(each, type) else "derive its class from Behaviour"
                raise TypeError(f"{quoted(each)} is no behaviour: {fix}")
        object.__setattr__(self, "behaviours", given)
        checks.fields(self, as_seconds, "runtime", "think_time", "first")
        checked_hours(self.hours)
        if isinstance(self.nodes, str):
            object.__setattr__(self, "nodes", NodeRequest.parse(self.nodes))


SHORT = Profile(runtime=SHORT_RUNTIME, jobs=Geometric(50), think_time=18_000.0)
"""Campaigns of about 50 sequential jobs that run for up to an hour."""

LONG = Profile(runtime=LONG_RUNTIME, jobs=Geometric(50), think_time=18_000.0)
"""Campaigns of about 50 sequential jobs that run for one hour to ten."""

PROFILES = {"short": SHORT, "long": LONG}
"""The profiles that have a name."""


def mix(users: int, shares: Mapping[str, float], **profiles: Profile) -> dict[str | int, Profile]:
    """Users by name, in the given shares of profiles: ``mix(26, {"short": 2, "long": 1})``.

    ``short`` and ``long`` are the paper's profiles; keywords add or replace profiles. Users are named after their
    profile (``short 1``, …). Shares are rounded to whole users by largest remainders; ties go to the one named first.

    ``ValueError`` for a profile that is not there, and for shares that are negative or all 0.

    >>> list(mix(3, {"short": 2, "long": 1}))
    ['short 1', 'short 2', 'long 1']
    """
    known = PROFILES | profiles
    total = sum(shares.values())
    for name, share in shares.items():
        if name not in known:
            raise ValueError(f"there is no profile {quoted(name)}; {key_of(name, known, 'the profiles')}")
        if not share >= 0 or not total > 0:
            raise ValueError(f"the share of {quoted(name)} is {quoted(share)}, but shares are at least 0 and not all 0")
    counts = dict(zip(shares, apportioned(users, list(shares.values())), strict=True)) if shares else {}
    return {f"{name} {i}": known[name] for name, count in counts.items() for i in range(1, count + 1)}
