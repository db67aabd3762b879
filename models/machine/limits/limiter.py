"""What the partitions and limits of a machine's site mean for its jobs, in the arrays that the engine takes.

A policy that plans anew in every pass takes the entries of a job in several partitions like other jobs. One that
remembers what it has planned would have to be told of entries that go; under it, a job is in the first partition that
it names.

Jobs of one user with the same association, partition and QOS are a *group*, which has a line of meters. Groups are made
when their first job becomes known.
"""

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import limits as limit_codes
from thinktime.models.engine.limits.budgets import opening
from thinktime.models.engine.limits.limits import binding
from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.machine.limits.copied import CopiedLimits
from thinktime.models.machine.limits.entries import Entries, in_several
from thinktime.models.machine.limits.meters import JOBS, SECONDS, Measured, Standing, measured
from thinktime.models.machine.limits.several import Several
from thinktime.models.machine.limits.single import limits_ages, named_in, restricts, verdicts
from thinktime.models.machine.limits.spending import Spending
from thinktime.models.orders.account_nodes import AccountNodes
from thinktime.models.orders.job_kinds import JobKinds
from thinktime.models.policies.hooks import Hooks
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import UNLIMITED, whole_minutes
from thinktime.workloads.arrays import Floats, Ints
from thinktime.workloads.job import Job
from thinktime.workloads.units import MINUTE

SWEEPS = "time limits are in whole minutes, and jobs beyond them are ended at sweeps every"
KINDS = {
    "at once": limit_codes.AT_ONCE, "there": limit_codes.THERE, "ageing": limit_codes.AGEING,
    "ahead": limit_codes.AHEAD,
    "budget": limit_codes.BUDGET, "safe budget": limit_codes.SAFE_BUDGET,
}  # fmt: skip
SPENT = "too little of its budget is left"
NOT_THERE = "the nodes of its partitions, which could not hold it even if they were idle"
FIRST = 16
"""How many groups there is room for at first."""


class Limiter:
    """Limits of one machine, brought up to date by `learn` whenever jobs have become known."""

    def __init__(
        self, site: Site, pool: Pool, labels: Labels, entered: bool, tiers: bool, spending: Spending | None = None
    ) -> None:
        """Whether jobs in several partitions have an entry for each, and jobs of higher tiers come first."""
        self._site, self._pool, self._names = site, pool, labels.names
        self._entered, self.entries = entered, Entries(site, pool, labels)
        self._kinds = JobKinds(site, pool, {}, tiers=False)
        self._tree = site.accounts if site.accounts.users else None
        self._nodes = AccountNodes.of(site.accounts) if self._tree is not None else AccountNodes.flat(0)
        self._usual = np.array([self._kinds.usual(each) for each in self._nodes.associations])
        self._resources = ["one", "cpu", *sorted({*named_in(site), "node"} - {"cpu"})]
        self._reasons: list[str] = ["", SPENT]
        self.spending = spending
        if spending is not None:
            spending.with_entries(self.entries)
        self._groups: dict[tuple[int, int, int], int] = {}
        self._meters: dict[tuple[Any, ...], int] = {}
        self._labels: list[str] = []
        self._known, self._skipped = 0, np.empty(0, np.int64)
        self._of_user = np.zeros(1, np.int64)  # of jobs without a user, and of the user before each code
        self._first, self._entries = np.zeros(1 + FIRST, np.int64), np.zeros(FIRST * limit_codes.OF_ENTRY, np.int64)
        self._numbers = np.zeros(FIRST * limit_codes.OF_METER)
        pool.state.limit_width = len(self._resources)
        self._group = self._rows = self._partition = np.empty(0, np.int64)
        self._ages, self._since = "ACCRUE_ALWAYS" not in site.priority.flags and limits_ages(site), np.empty(0)
        self._tiers = np.array([each.tier for each in site.partitions] if tiers else [], np.int64)
        self._note, self._bar, self._amounts = np.empty(0, np.int64), np.empty(0, np.int8), np.empty(0)
        self._home = np.array([self._group_of(0, int(self._usual[0]), -1)])
        self.learn()

    def learn(self) -> None:
        """Find out which limits hold for users and jobs that have become known."""
        requests, users = self._pool.requests, self._names["user"]
        known = len(self._of_user) - 1
        if known == len(users) and self._known == requests.size and not len(self._skipped):
            return
        before = self._arrays_now()
        if self._entered:
            self.entries.add(np.arange(self._known, requests.size))
        if len(users) > known:
            more = [self._kinds.home(self._nodes, user) for user in users[known:]]
            self._of_user = np.append(self._of_user, more).astype(np.int64)
            groups = [self._group_of(v, int(self._usual[v]), code) for code, v in enumerate(more, known)]
            self._home = np.append(self._home, groups).astype(np.int64)
        self._grow(requests.capacity)
        rows = np.concatenate([self._skipped, np.arange(self._known, requests.size)])
        numbered = requests.id[rows] >= 0  # not those that a user only considers
        self._skipped, self._known = rows[~numbered], requests.size
        if numbered.any():
            self._describe(rows[numbered])
            self._judge_by_entries(rows[numbered])
        if any(array is not before[name] for name, array in self._arrays_now().items()):
            self._pool.bind()

    def go_on_with(self, used: Mapping[Any, Mapping[str, float]], now: float) -> None:
        """Associations (account, user, partition) and QOS (by name) have used so many seconds of resources by now.

        The seconds of jobs themselves are those of `SECONDS`.
        """
        for (kind, name, key, *whose), number in self._meters.items():
            owner = tuple(whose) if len(whose) > 1 else whose[0]
            amount = used.get(owner, {}).get(SECONDS if name == "group_wall" else key)
            if kind in ("budget", "safe budget") and amount is not None:
                numbers = self._numbers[number * limit_codes.OF_METER :]
                numbers[limit_codes.USED], numbers[limit_codes.SINCE] = amount, now

    def consider(self, row: int) -> None:
        """A row that is not submitted asks for something else now."""
        self.learn()
        self._bar[row] = self._note[row] = 0
        self._describe(np.array([row]))
        self._pool.bind()

    def arrays(self, capacity: int) -> dict[str, NDArray[Any]]:
        """What the engine takes, by name, with room for so many rows."""
        self._grow(capacity)
        return self._arrays_now()

    def why(self, row: int) -> str:
        """Why a job was refused, or will never start; empty for neither."""
        note = int(self._note[row])
        if note <= -limit_codes.REFUSES:
            return self._reasons[-note - limit_codes.REFUSES]
        return self._labels[-1 - note] if note < 0 else self._reasons[note]

    def never(self, rows: Ints) -> NDArray[np.bool_]:
        """Which of some jobs can never start."""
        return np.asarray((self._bar[rows] & limit_codes.NEVER) != 0)

    def may_change(self, rows: Ints) -> bool:
        """Whether any of some jobs is beyond a limit now that time, or others, may bring it within."""
        over = rows[(self._bar[rows] & limit_codes.OVER) != 0]
        if self.spending is None:
            return len(over) > 0
        return any(binding(self._pool.state, row, inf) != limit_codes.SPENT or self._opens(row) for row in over)

    def _opens(self, row: int) -> bool:
        """Whether time alone leaves enough of its budget for a job."""
        return opening(self._pool.state, row) < inf

    def label(self, limit: int, row: int) -> str:
        """The limit that keeps a waiting job from starting, by its number in the engine; empty for none."""
        if limit == limit_codes.SPENT and self.spending is not None:
            return self.spending.whose(row)
        return self.why(row) if limit == -limit_codes.NEVER else self._labels[limit] if limit >= 0 else ""

    def ran_in(self, row: int) -> str | None:
        """The partition in which a job in several has started."""
        if not self.entries.of(row) or not self._pool.requests.start[row] >= 0.0:
            return None
        name: str = self._site.partitions[self._partition.item(row)].name
        return name

    def name_partitions(self) -> None:
        """From now on, jobs in several partitions that have started bear the name of the one in which they did."""
        rows = np.flatnonzero(self.entries.first > 0)
        rows = rows[self._pool.requests.start[rows] >= 0.0]
        if len(rows):
            codes = np.array([self.entries.code(each.name) for each in self._site.partitions])
            self._pool.requests.own("partition")[rows] = codes[self._partition[rows]]

    def copied(self, size: int) -> CopiedLimits:
        """The arrays of a forecast, which changes meters and marks of its own."""
        return CopiedLimits(self.arrays(0), size, self.spending)

    def _arrays_now(self) -> dict[str, NDArray[Any]]:
        return {
            "limit_home": self._home, "limit_group": self._group, "limit_first": self._first,
            "limit_entries": self._entries, "limit_note": self._note, "limit_rows": self._rows,
            "entry": self.entries.first, "partition": self._partition, "tiers": self._tiers,
            "limit_meters": self._numbers, "limit_amounts": self._amounts, "limit_since": self._since,
            "limit_bar": self._bar,
        } | ({} if self.spending is None else self.spending.arrays())  # fmt: skip

    def _grow(self, capacity: int) -> None:
        """Make room for so many rows."""
        if capacity > len(self._group):
            for name in ("_group", "_rows", "_note", "_partition", "_bar"):
                setattr(self, name, grown(getattr(self, name), capacity))
            self._amounts = grown(self._amounts, capacity * len(self._resources))
            if self._ages:
                self._since = np.append(self._since, np.full(capacity - len(self._since), np.inf))
            self.entries.grow(capacity)
            if self.spending is not None:
                self.spending.grow(capacity)

    def _describe(self, rows: Ints) -> None:
        """Find the groups of some jobs, and what they ask for."""
        requests = self._pool.requests
        nodes, kinds = self._kinds.of(self._nodes, self._of_user, self._usual, self._names, requests, rows)
        amounts = self._kinds.amounts(self._pool, rows, kinds, self._resources[1:])
        table = self._amounts.reshape(-1, len(self._resources))
        for k, name in enumerate(self._resources[1:], 1):
            table[rows, k] = amounts[name]
        self._partition[rows] = self._kinds.partitions(kinds)
        if self.spending is not None:
            self.spending.learn(rows)
        users = requests.user[rows]
        several = Several(self._pool, self._kinds, rows, kinds, self._resources[1:], restricts(self._site))
        which, place = np.unique(np.stack([nodes, kinds, users]), axis=1, return_inverse=True)
        for k, (node, kind, user) in enumerate(which.T.tolist()):
            its = rows[place.ravel() == k]
            self._group[its] = 1 + self._group_of(node, kind, user)
            own = {name: table[its, i] for i, name in enumerate(self._resources)}
            standing = self._standing(node, kind, user)
            may = several.may_have_some(its, standing, self._site)
            for verdict in verdicts(standing, requests.requested[its], own, self._site):
                self._judge(its[verdict.jobs & ~may], verdict.why, verdict.refused)
        several.narrow(table)

    def _judge(self, rows: Ints, why: str, refused: bool) -> None:
        """Some jobs will never start; the first reason counts, but one to be refused before others."""
        if not len(rows):
            return
        if why not in self._reasons:
            self._reasons.append(why)
        number = self._reasons.index(why)
        rows = rows[(self._note[rows] == 0) | (refused & (self._note[rows] > 0))]
        self._note[rows] = -limit_codes.REFUSES - number if refused else number
        self._bar[rows] |= limit_codes.NEVER

    def _judge_by_entries(self, rows: Ints) -> None:
        """A job is refused if all of its entries are, or with EnforcePartLimits=ALL any; it never starts if none can.

        Entries that the nodes of their partitions could never hold are none.
        """
        for row in rows[self.entries.first[rows] > 0].tolist() if self.entries else ():
            entries = np.array(self.entries.of(row))
            self._judge(entries[~self._pool.could_hold(entries)], NOT_THERE, True)
            notes = self._note[entries]
            refused = notes <= -limit_codes.REFUSES
            one_is_enough = self._site.enforce_partition_limits == "ALL"
            self._bar[row] &= ~limit_codes.NEVER
            self._note[row] = 0
            if refused.any() if one_is_enough else refused.all():
                self._note[row] = notes[refused][0]
            elif (self._bar[entries] & limit_codes.NEVER).all():
                self._note[row] = notes[notes > 0][0]
                self._bar[row] |= limit_codes.NEVER

    def _standing(self, node: int, kind: int, user: int) -> Standing:
        partition, qos = self._kinds.placed(kind)
        named = None if partition.qos is None else self._site.quality(partition.qos)
        both = (qos, named) if qos is not None and "OverPartQOS" in qos.flags else (named, qos)
        qualities = tuple(dict.fromkeys(each for each in both if each is not None))
        association = self._nodes.associations[node] if self._tree is not None and node else None
        owner = self._names["user"][user] if user >= 0 else None
        return Standing(self._tree, association, owner, partition, qos, qualities)

    def _group_of(self, node: int, kind: int, user: int) -> int:
        """The number of a group, which is made if it is new."""
        key = node, kind, user
        if key not in self._groups:
            self._groups[key] = number = len(self._groups)
            found = list(measured(self._standing(*key), "safe" in self._site.enforce)) if self._site.limited else []
            if number + 2 > len(self._first):
                self._first = grown(self._first, 2 * len(self._first))
            begin = int(self._first[number])
            stop = self._first[number + 1 :] = begin + len(found)
            if stop * limit_codes.OF_ENTRY > len(self._entries):
                self._entries = grown(self._entries, 2 * stop * limit_codes.OF_ENTRY)
            table = self._entries[: stop * limit_codes.OF_ENTRY].reshape(-1, limit_codes.OF_ENTRY)
            for k, each in enumerate(found, begin):
                resource = 0 if each.resource in (JOBS, SECONDS) else self._resources.index(each.resource)
                table[k] = self._meter(each), resource, each.holds
        return self._groups[key]

    def _meter(self, each: Measured) -> int:
        """The number of a meter, which is made if it is new."""
        key = (each.kind, *each.whose)
        if key not in self._meters:
            self._meters[key] = number = len(self._labels)
            self._labels.append(each.label)
            if (number + 1) * limit_codes.OF_METER > len(self._numbers):
                self._numbers = grown(self._numbers, 2 * len(self._numbers))
            numbers = self._numbers[number * limit_codes.OF_METER :]
            half_life = self._site.priority.half_life
            numbers[limit_codes.MOST], numbers[limit_codes.KIND] = each.most, KINDS[each.kind]
            numbers[limit_codes.DECAY] = np.log(2.0) / half_life if each.decays and half_life else 0.0
            numbers[limit_codes.USED] = self._used_before(each)
            if each.kind in ("ahead", "budget", "safe budget"):
                self._pool.state.limit_timed = True
        return self._meters[key]

    def _used_before(self, each: Measured) -> float:
        """What was used before the start, as far as the site's file says it: of processors, by associations."""
        name, _, *association = each.whose
        if name != "group_tres_seconds" or each.resource != "cpu" or len(association) != 3:
            return 0.0
        return self._site.used(association[0], association[1])


class Partitions:
    """The partitions of a machine's site, for its jobs: what they keep from starting, and who comes first.

    A site that keeps no job from starting still has a limiter where its policy is `slurm`, which counts by partition
    and takes higher tiers first, and where a job is in several partitions.
    """

    def __init__(
        self, site: Site | None, pool: Pool, labels: Labels, hooks: Hooks, spending: Spending | None = None
    ) -> None:
        self._site, self._pool, self._labels, self._spending = site, pool, labels, spending
        self._entered = not (hooks.on_submit or hooks.on_start or hooks.on_end or hooks.as_recorded)
        self._first_only = 0
        self._tiers = False
        self._several = site is not None and len(site.partitions) > 1
        partitions: Any = getattr(pool, "partitions", None)
        if partitions is not None:
            partitions.of_entries = self._entered
        if site is not None:
            slurm = self._several and getattr(hooks.policy, "rule", "") == "slurm"
            self._tiers = slurm and len({each.tier for each in site.partitions}) > 1
            if slurm or restricts(site) or spending is not None:
                self._limit(site)
            if site.time_limits.sweeps:
                pool.end_at_sweeps(site.time_limits)
        elif spending is not None:
            self._limit(Site())

    @property
    def rounds(self) -> bool:
        """Whether time limits are in whole minutes."""
        return self._site is not None and self._site.time_limits.sweeps

    def requested(self, job: Job) -> float:
        """The time limit of a job, s: what it asks for, or its partition's where limits are kept as Slurm does."""
        if self._site is None or not self.rounds:
            return job.requested_time
        if job.estimate is not None:
            return whole_minutes(job.requested_time)
        partition = self._site.partition_of(job.partition, job.queue)
        usual = (each for each in (partition.default_time, partition.max_time) if each is not None)
        return next(usual, UNLIMITED)

    def rounded(self, requested: Floats) -> Floats:
        """The time limits of a log's jobs, s."""
        return np.ceil(requested / MINUTE) * MINUTE if self.rounds else requested

    def look(self, rows: range) -> None:
        """Some jobs have become known."""
        if self._site is None or not self._several:
            return
        found = in_several(self._site, self._pool, self._labels.names, np.arange(rows.start, rows.stop))
        count = sum(len(its) for _, its in found)
        if not self._entered:
            self._first_only += count
        elif count and self._pool.limits is None:  # it keeps entries as well
            self._limit(self._site)

    def notes(self, policy: str) -> list[str]:
        """Sentences on time limits that are not exact, and on jobs that are in fewer partitions than they name."""
        told = []
        if self._site is not None and self.rounds:
            told = [f"{SWEEPS} {self._site.time_limits.sweep:g} s"]
        if not self._first_only:
            return told
        what = f"under policy {policy}, which remembers its plans, they are in the first one alone"
        return [*told, f"jobs in several partitions: {self._first_only:,}; {what}"]

    def _limit(self, site: Site) -> None:
        self._pool.limits = Limiter(site, self._pool, self._labels, self._entered, self._tiers, self._spending)
        self._pool.state.limited = True
        self._pool.bind()
