"""A pass by priorities with fair shares: 500 accounts with 5,000 users against one account with one user.

    python benchmarks/priorities.py [--quick]

The queue has the same jobs, one of each user. There is a pass every minute and a tick every five; the first pass after
a tick computes all fair shares. The target is a ratio within this run: on average, a pass of the large site takes at
most twice as long.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import simpy
from targets import line

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.site import Site

PROCESSORS = 1024
ACCOUNTS, USERS, QUICK = 500, 5_000, 500
PASSES, EACH = 400, 5
LIMIT = 2.0
RULES = PriorityRules("multifactor", age=1000, fairshare=10_000, job_size=500)


def tree(accounts: int, users: int) -> AccountTree:
    """Users in accounts of fifty groups."""
    groups = [Association(f"group{k}") for k in range(min(50, accounts))]
    named = [Association(f"a{k}", parent=f"group{k % len(groups)}", shares=1 + k % 7) for k in range(accounts)]
    return AccountTree([*groups, *named, *(Association(f"a{k % accounts}", str(k)) for k in range(users))])


def passes(rule: str, accounts: int, users: int, jobs: int) -> tuple[float, float]:
    """The first pass after a tick and an average pass (ms, from medians), with ``jobs`` in the queue."""
    rng = np.random.default_rng(1)
    log = tt.Trace(
        {
            "submit": np.zeros(2 * jobs), "runtime": np.full(2 * jobs, 1e6), "user": np.arange(2 * jobs) % users,
            "requested_processors": np.append(np.ones(jobs, int), rng.integers(2, 64, jobs)),
        }
    )  # fmt: skip
    env = simpy.Environment()
    site = Site(accounts=tree(accounts, users), priority=RULES)
    machine = tt.Machine(env, jobs + 1, f"{rule}:order=multifactor", site=site)
    machine.announce(machine.load(log))
    env.run(until=1)
    view, found = machine.scheduler.view, []
    for k in range(PASSES):
        now = 60.0 * (k + 1)
        view.look(machine.pool, now)
        begin = time.perf_counter()
        machine.policy.select(view, now)
        found.append(time.perf_counter() - begin)
    first = statistics.median(found[EACH - 1 :: EACH])
    other = statistics.median(spent for k, spent in enumerate(found) if k % EACH != EACH - 1)
    return 1000 * first, 1000 * (first + (EACH - 1) * other) / EACH


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Passes of a site with many accounts and users.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:,} users")
    users = QUICK if parser.parse_args().quick else USERS
    accounts = users * ACCOUNTS // USERS
    print(f"{users:,} jobs run, as many wait; {accounts} accounts with {users:,} users, or one user\n")
    for rule in ("none", "easy"):
        (_, one), (first, many) = passes(rule, 1, 1, users), passes(rule, accounts, users, users)
        line(f"{rule}: one user", one, "ms")
        line(f"{rule}: {users:,} users", many, "ms")
        line(f"{rule}: {users:,} users, first pass after a tick", first, "ms")
        line(f"{rule}: ratio", many / one, "×", LIMIT)


if __name__ == "__main__":
    main()
