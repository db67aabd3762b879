"""Experiments on a Slurm 22.05.8 (``data/README.md``), and the same sites and jobs as values of the package."""

import csv
from pathlib import Path

import numpy as np
import simpy

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres
from thinktime.workloads.nodes import Cluster, Nodes

DATA = Path(__file__).parent / "data"
MINUTE = 60.0
NODES = Nodes([Cluster("n", 4, {"processors": 8})])
USERS = [f"tt{k}" for k in range(1, 7)]
ROOT = Association("root", "root")
FLAT = AccountTree([ROOT, Association("acc"), *(Association("acc", user) for user in USERS)])
TREE = AccountTree(
    [
        ROOT, Association("a", shares=40), Association("b", shares=30), Association("c", shares=30),
        Association("a1", parent="a", shares=2), Association("a", "tt1"), Association("a", "tt2", shares=3),
        Association("a1", "tt5"), Association("b", "tt3"), Association("b", "tt4"),
        Association("c", "tt6", shares="parent"), Association("c", "tt1"),
    ]
)  # fmt: skip
PARTITIONS = (Partition("main", default=True, job_factor=10), Partition("fast", job_factor=40))
MAIN = (Partition("main", default=True),)
NORMAL = (QOS("normal"),)
QUALITIES = (
    QOS("normal"), QOS("low", 10), QOS("high", 100), QOS("uf", 50, usage_factor=2), QOS("off", 50, usage_factor=0),
)  # fmt: skip
SIZES = {"age": 1000, "job_size": 1000, "partition": 400, "tres": Tres({"cpu": 320.0}), "max_age": 2 * MINUTE}
SHARES = {"fairshare": 10_000}


def _site(name, partitions=MAIN, accounts=TREE, qualities=NORMAL, enforce=("associations", "limits"), **priority):
    reset = "NONE" if priority.get("half_life", 1) else "YEARLY"  # as Slurm demands
    rules = PriorityRules("multifactor", calc_period=MINUTE, usage_reset=reset, **priority)
    return Site(
        name, NODES, partitions, accounts=accounts, qos=qualities, priority=rules, enforce=frozenset(enforce)
    )  # fmt: skip


SITES = {
    site.name: site
    for site in (
        _site("t03_mf", PARTITIONS, FLAT, **SIZES),
        _site("t03_small", PARTITIONS, FLAT, **SIZES, favor_small=True),
        _site("t03_reltime", PARTITIONS, FLAT, **SIZES, flags={"SMALL_RELATIVE_TO_TIME"}),
        _site("t03_accrue", PARTITIONS, FLAT, **SIZES, flags={"ACCRUE_ALWAYS"}),
        _site("t04_tree", **SHARES, half_life=0),
        _site("t04_tree_decay", **SHARES, half_life=MINUTE),
        _site("t04_noenforce", **SHARES, half_life=0, enforce=()),
        _site("t04_classic", **SHARES, half_life=0, flags={"NO_FAIR_TREE"}),
        _site("t04_classic_decay", **SHARES, half_life=MINUTE, flags={"NO_FAIR_TREE"}),
        _site("t05_qos", accounts=FLAT, qualities=QUALITIES, half_life=0, qos=1000),
        _site(
            "t05_billing", (Partition("main", default=True, billing_weights=Tres({"cpu": 0.5, "mem": 0.25})),), FLAT,
            QUALITIES, half_life=0, fairshare=1000, qos=1000,
        ),
    )
}  # fmt: skip


def table(name, file):
    """The lines of a file of an experiment, as dictionaries without what is empty."""
    with open(DATA / name / file) as lines:
        return [{key: value for key, value in row.items() if value} for row in csv.DictReader(lines)]


class Experiment:
    """The jobs of an experiment on its site; they start and end when they did, not when a policy lets them."""

    def __init__(self, name, tick, eligible=True):
        site, self.jobs = SITES[name], table(name, "jobs.csv")
        policy = f"easy:order=multifactor,accrual=slurm,tick_origin={tick - MINUTE:g}s"
        self.machine = tt.Machine(simpy.Environment(), policy=policy, nodes=NODES, site=site)
        self.row = {}
        for job in self.jobs:
            self.row[job["id"]] = self.machine.submit(self._job(job)).row
        self.requests, self.accounts = self.machine.pool.requests, self.machine.policy.order.accounts
        when = "eligible" if eligible else "submit"
        self.requests.submit[: len(self.jobs)] = [float(job[when]) for job in self.jobs]
        events = [(float(job["start"]), 1, job["id"]) for job in self.jobs]
        self.events = sorted(events + [(float(job["end"]), 0, job["id"]) for job in self.jobs])

    def _job(self, job):
        nodes, cpus = int(job["nodes"]), int(job["cpus"])
        asked = f"{nodes}:ppn={cpus // nodes}" + "#excl" * int(job["exclusive"])
        limit = float(job["limit"])
        return tt.Job(
            runtime=limit, estimate=limit, nodes=asked, user=job["user"], group=job.get("account"),
            queue=job.get("queue"), nice=int(job["nice"]),
        )  # fmt: skip

    def go_on(self, until):
        """Let jobs start and end up to a time."""
        while self.events and self.events[0][0] <= until:
            now, begins, job = self.events.pop(0)
            rows = np.array([self.row[job]])
            (self.accounts.on_start if begins else self.accounts.on_end)(None, rows, now)

    def priorities(self, jobs, now):
        """The priorities of some jobs."""
        return self.accounts.priorities_of(np.array([self.row[job] for job in jobs]), now).tolist()
