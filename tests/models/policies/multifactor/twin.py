"""Brute force for the order `multifactor`, written from the rules and sharing nothing with the package.

A tree is a dictionary: node -> (parent, shares, whether it is a user), in the order of the file; "root" is above all.
Shares are numbers or "parent".
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.models.twin.reference import Simulation
from tests.models.twin.reference_rules import RefJob

Tree = dict[str, tuple[str, Any, bool]]


def below(tree: Tree, node: str) -> list[str]:
    """The users below a node, or the node itself."""
    own = [each for each, (parent, _, _) in tree.items() if parent == node]
    return [user for each in own for user in below(tree, each)] if own else [node]


def siblings(tree: Tree, parent: str) -> list[str]:
    """Those right below a node, in the order of the file."""
    return [node for node, (above, _, _) in tree.items() if above == parent]


def part(tree: Tree, node: str) -> float:
    """The shares of a node among its siblings."""
    parent, shares, _ = tree[node]
    total = sum(tree[each][1] for each in siblings(tree, parent) if tree[each][1] != "parent")
    return float(shares / total) if total else 0.0


def fair_tree(tree: Tree, used: dict[str, float]) -> dict[str, float]:
    """The factor of every user; ``used`` is what each has used."""

    def total(node: str) -> float:
        return sum(used.get(user, 0) for user in ([*tree] if node == "root" else below(tree, node)))

    def level(node: str) -> float:
        parent, shares, _ = tree[node]
        if shares == 0:
            return 0.0
        above = total(parent)
        if shares == "parent" or above == 0 or total(node) == 0:
            return math.inf
        return part(tree, node) / (total(node) / above)

    users, found = [node for node, (_, _, user) in tree.items() if user], {}
    counter = {"rank": len(users), "next": len(users)}

    def walk(parent: str, account_tied: bool) -> None:
        before: float | None = None
        later_first = list(reversed(siblings(tree, parent)))
        for number, node in enumerate(sorted(later_first, key=lambda each: (-level(each), not tree[each][2]))):
            tied = account_tied if number == 0 else level(node) == before
            before = level(node)
            if not tree[node][2]:
                walk(node, tied)
                continue
            if not tied:
                counter["rank"] = counter["next"]
            found[node] = counter["rank"] / len(users)
            counter["next"] -= 1

    walk("root", False)
    return found


def classic(tree: Tree, used: dict[str, float], before: dict[str, float], dampening: float) -> dict[str, float]:
    """The classic factor of every user."""

    def shares(node: str) -> float:
        if node == "root":
            return 1.0
        parent, own, _ = tree[node]
        return shares(parent) * (1.0 if own == "parent" else part(tree, node))

    def effective(node: str) -> float:
        if node == "root":
            return 1.0
        parent, own, user = tree[node]
        if own == "parent":
            return effective(parent)
        what = used if user else before
        whole = sum(what.values())
        normal = sum(what.get(each, 0) for each in below(tree, node)) / whole if whole else 0.0
        return normal if parent == "root" else normal + (effective(parent) - normal) * part(tree, node)

    return {
        node: 2.0 ** (-(effective(node) / shares(node)) / dampening) if shares(node) else 0.0
        for node, (_, _, user) in tree.items()
        if user
    }


@dataclass(frozen=True)
class Run:
    """A job of a user of the tree that ran, or still runs, and what it is billed per second."""

    user: str
    start: int
    end: int
    billed: float


def by_ticks(runs: list[Run], until: int, period: int, half_life: float, ends_count: bool) -> tuple[dict, dict]:
    """What users had used by the tick ``until``, going through every second; and the same before its running jobs."""
    f = 1 - 0.693 / half_life if half_life else 1.0
    used: dict[str, float] = {run.user: 0.0 for run in runs}
    before = dict(used)
    last = 0
    for now in range(until + 1):
        if now and now % period == 0:
            before = dict(used)
            used = {user: amount * f ** (now - last) for user, amount in used.items()}
            for run in runs:
                if run.start < now <= run.end:
                    seconds = now - max(run.start, last)
                    used[run.user] += seconds * f**seconds * run.billed
            last = now
        elif ends_count:
            for run in runs:
                if run.end == now:
                    seconds = now - max(run.start, last)
                    used[run.user] += seconds * f**seconds * run.billed
    return used, before


def exactly(runs: list[Run], until: float, half_life: float) -> dict[str, float]:
    """What users have used by a time: every moment of every run, decayed since."""
    used: dict[str, float] = {}
    for run in runs:
        since, to = until - run.start, until - min(run.end, until)
        kept = to - since if not half_life else 0.0
        if half_life:
            weight = half_life / math.log(2)
            kept = -weight * (2.0 ** (-to / half_life) - 2.0 ** (-since / half_life))
        used[run.user] = used.get(run.user, 0.0) - kept * run.billed if since > 0 else used.get(run.user, 0.0)
    return used


@dataclass
class Priorities:
    """Weights and rules, and who owns which job: a user of the tree, or None."""

    tree: Tree
    owner: dict[int, str | None]
    age: float
    fairshare: float
    job_size: float
    max_age: int
    period: int
    ends_count: bool = True
    exact: bool = False
    fair: bool = True
    nice: dict[int, int] = field(default_factory=dict)
    other: dict[int, float] = field(default_factory=dict)
    """What partition and QOS add to each job."""


class Multifactor(Simulation):
    """The twin's machine with the queue by priorities; use never decays, so that everything is exact."""

    def __init__(self, jobs: list[RefJob], processors: int, rules: Priorities, **how: Any) -> None:
        super().__init__(jobs, processors, self.key, **how)
        self.rules = rules
        self.known: dict[int, RefJob] = {}

    def submit_jobs(self, now: float) -> list[RefJob]:
        """Remember who has come."""
        newcomers = super().submit_jobs(now)
        self.known |= {job.id: job for job in newcomers}
        return newcomers

    def runs(self, now: float) -> list[Run]:
        """What ran, and what runs beyond now."""
        over = [(number, each.start, each.end) for number, each in self.outcomes.items() if each.start is not None]
        over += [(job.id, self.started[job.id], now + 1_000) for job in self.running]
        owner, known = self.rules.owner, self.known
        return [Run(owner[n] or "", int(start), int(end or 0), known[n].processors) for n, start, end in over]

    def fair_shares(self, tick: int, now: float) -> dict[str, float]:
        """The factors as of the last tick; a run that began after it counts for nothing."""
        runs = [Run(r.user, r.start, r.end, r.billed) for r in self.runs(now) if r.start <= tick and r.user]
        if self.rules.exact:
            used = before = {user: float(amount) for user, amount in exactly(runs, tick, 0).items()}
        else:
            used, before = by_ticks(runs, tick, self.rules.period, 0, self.rules.ends_count)
        tree = self.rules.tree
        return fair_tree(tree, used) if self.rules.fair else classic(tree, used, before, 1)

    def key(self, job: RefJob, now: float) -> float:
        """The priority of a job, times -1."""
        rules = self.rules
        tick = int(now // rules.period * rules.period)
        age = Fraction(min(max(tick - int(job.submit), 0), rules.max_age), rules.max_age)
        share = self.fair_shares(tick, now).get(rules.owner[job.id] or "", 0.0)
        size = job.processors / self.processors
        total = rules.age * float(age) + rules.fairshare * share + rules.job_size * size
        total += rules.other.get(job.id, 0.0) - rules.nice.get(job.id, 0)
        return -max(math.floor(total), 1)
