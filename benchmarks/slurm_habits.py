"""How much do Slurm's habits matter? Waits with each of them switched off, on logs and a made-up tree of accounts.

    python benchmarks/slurm_habits.py SDSC-SP2-1998-4.2-cln.swf.gz

The machine has 32 nodes of 4 processors. Users belong to 16 groups in four
divisions, by their numbers. Divisions have 4, 3, 2 and 1 shares, and so have the groups in each. Memory is left out.
"""

import sys
from dataclasses import replace

import numpy as np

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.priority import PriorityRules
from thinktime.workloads.generators import preset

JOBS = 10_000
RULES = PriorityRules("multifactor", age=1000, fairshare=10_000, half_life=7 * tt.DAY, max_age=7 * tt.DAY)
SLURM = "slurm:order=multifactor,accrual=slurm"
STEADY = "slurm:order=multifactor,ticks=0"
NO_HABITS = "groups=0,whole_nodes=no,inclusive_edge=no,bf_interval=0,bf_resolution=0"
NO_CUTS = "bf_window=0,bf_max_job_test=0,default_queue_depth=0"
HABITS = {
    "Slurm as it is": SLURM,
    "what jobs used after their last tick is lost": SLURM,
    "use and priorities change steadily, not at ticks": STEADY,
    "jobs leave one by one, not in groups": f"{SLURM},groups=0",
    "reservations take processors, not whole nodes": f"{SLURM},whole_nodes=no",
    "a job may end when a reservation begins": f"{SLURM},inclusive_edge=no",
    "backfill at every event, not every 30 s": f"{SLURM},bf_interval=0",
    "no cuts: window, depth, jobs tested": f"{SLURM},{NO_CUTS}",
    "none of these": f"{STEADY},{NO_HABITS},{NO_CUTS}",
    "one reservation (EASY)": f"{SLURM},bf_job_part_count_reserve=1",
}


def accounts_of(log: tt.Trace) -> AccountTree:
    """A tree of three levels: divisions, groups, users."""
    found = [Association(f"division{k}", shares=4 - k) for k in range(4)]
    found += [Association(f"group{k}", parent=f"division{k // 4}", shares=4 - k % 4) for k in range(16)]
    found += [Association(f"group{user % 16}", str(user)) for user in np.unique(log.user).tolist()]
    return AccountTree(found)


def table(log: tt.Trace, nodes: tt.Nodes) -> None:
    """Print mean and 95 % wait, how many starts differ from Slurm's, and the mean wait of each division."""
    log = log.with_columns(group=np.full(len(log), -1), queue=np.full(len(log), -1), partition=np.full(len(log), -1))
    site = tt.Site(nodes=nodes, accounts=accounts_of(log), priority=RULES, enforce=frozenset({"limits"}))
    print(f"{'':50} mean wait   95 %  other starts  by division (4, 3, 2, 1 shares)")
    usual = None
    for name, policy in HABITS.items():
        own = replace(site, enforce=frozenset()) if name.endswith("lost") else site
        result = tt.replay(log, policy, nodes=nodes, allocator="consecutive", site=own)
        start, wait = result["start"], (result["start"] - result["submit"]) / tt.HOUR
        usual = start if usual is None else usual
        means = [np.mean(wait[log.user % 16 // 4 == k]) for k in range(4)]
        other = 100 * np.mean(start != usual)
        print(f"{name:50} {np.mean(wait):7.2f} h {np.quantile(wait, 0.95):6.1f} h {other:10.1f} %", end="")
        print("".join(f"{mean:8.2f}" for mean in means))


def main() -> None:
    """Both tables."""
    log = tt.read_swf(sys.argv[1])
    print(f"The first {JOBS:,} jobs of {sys.argv[1].rpartition('/')[2]}, on 32 nodes of 4 processors")
    table(log.select(np.arange(len(log)) < JOBS), tt.Nodes.uniform(32, processors=4))
    made = tt.generate(preset("lublin"), jobs=JOBS, users=64, processors=128, seed=1)
    print(f"\n{JOBS:,} jobs of 64 users made by Lublin's model, on the same nodes")
    table(made, tt.Nodes.uniform(32, processors=4))


if __name__ == "__main__":
    main()
