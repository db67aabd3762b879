"""Jobs in several partitions, and tiers of partitions."""

import csv
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simpy

import thinktime as tt
from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.state import State
from thinktime.workloads.nodes import Cluster, Nodes

FOLDER = Path(__file__).parent / "partitions"
IN = {"t09_tiers": "hi", "t09_same": "lo"}
LATE = {"t09_same": {"d": 3}, "t09_tiers": {"e": 3}}
"""More than 2 s after ours: Slurm is up to a second late after each end, and three ends in a row come before."""


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("run", sorted(IN))
def test_a_real_slurm(run):
    """Starts are Slurm's, and a job in two partitions runs in the one that let it start."""
    env = simpy.Environment()
    machine = tt.MachineSpec.of_site(Site.read(FOLDER / run / "site.toml")).open(env)
    events = {}

    def submit() -> Iterator[Any]:
        for row in rows(FOLDER / run / "in.csv"):
            yield env.timeout(int(row["t"]) - env.now)
            asked = {"nodes": f"{row['nodes']}:ppn=8", "user": row["user"], "partition": row["partition"]}
            job = tt.Job(runtime=int(row["sleep"]), estimate=60 * int(row["limit"]), **asked)
            events[row["name"]] = machine.submit(job)

    env.process(submit())
    env.run()
    theirs = {row["name"]: int(row["start"]) for row in rows(FOLDER / run / "out.csv")}
    ours = {name: event.value.start for name, event in events.items()}
    assert all(0 <= theirs[name] - start <= LATE[run].get(name, 2) for name, start in ours.items()), ours
    assert events["m"].value.partition == IN[run]
    assert machine.result().jobs.set_index("id")["partition"][events["m"].id] == IN[run]


SMALL, LARGE = Partition("small", ("n1",), max_time=100, qos="few"), Partition("large", ("n2", "n3"), tier=2)
NODES = Nodes([Cluster("n", 3, {"processors": 4}, names=("n1", "n2", "n3"))])
ASSOCIATIONS = AccountTree((Association("a"), Association("a", "ann")))


def machine(policy="slurm:bf_interval=0", limits=None, **given):
    """A machine with a partition of one node, which has limits, and one of two nodes, of a higher tier."""
    qos = QOS("few", limits=limits or Limits())
    known = {"accounts": ASSOCIATIONS, "enforce": frozenset({"limits"})} | given
    site = Site(nodes=NODES, partitions=(SMALL, LARGE), qos=(QOS("normal"), qos), **known)
    return replace(tt.MachineSpec.of_site(site), policy=policy).open(simpy.Environment())


def ran(machine, *jobs):
    """Start and partition of jobs that are all submitted now, on one node in both partitions unless they say else."""
    usual = {"user": "ann", "partition": "small,large", "nodes": "1:ppn=4"}
    events = [machine.submit(tt.Job(**(usual | job))) for job in jobs]
    machine.env.run()
    table = machine.result().jobs.set_index("id").loc[[event.id for event in events]]
    return list(zip(table["start"].tolist(), table["partition"].tolist(), strict=True))


@pytest.mark.parametrize("policy", ["slurm:bf_interval=0", "easy", "conservative-dynamic", "no-guarantee"])
def test_it_starts_in_the_first_that_can(policy):
    """The higher tier comes first under `slurm`, the one that is named first under others."""
    found = ran(machine(policy), *[{"runtime": 50}] * 3, {"runtime": 50, "nodes": "2:ppn=4"})
    first = ["large", "large", "small"] if policy.startswith("slurm") else ["small", "large", "large"]
    assert found == [*[(0.0, name) for name in first], (50.0, "large")]


def own(view, now):
    """A policy in Python: whatever fits."""
    return [job for job in view.queue if view.fits(job)][:1]


def test_a_policy_of_ones_own_sees_each_entry():
    """Proposed through any, the job starts there."""
    assert ran(machine(own), *[{"runtime": 50}] * 3) == [(0.0, "small"), (0.0, "large"), (0.0, "large")]


def test_an_entry_that_cannot_hold_the_job_is_none():
    """Two nodes are never in `small`, which is not closed to others."""
    wide = {"runtime": 50, "nodes": "2:ppn=4"}
    assert ran(machine(), wide, wide, {"runtime": 10}) == [(0.0, "large"), (50.0, "large"), (0.0, "small")]


def test_limits_are_those_of_each_partition():
    """The time limit of `small` and the QOS that it has hold there alone."""
    busy, long = {"runtime": 500, "partition": "large", "nodes": "2:ppn=4"}, {"runtime": 101}
    assert ran(machine(), busy, long) == [(0.0, "large"), (500.0, "large")]
    assert ran(machine(limits=Limits(max_jobs=0)), busy, {"runtime": 5}) == [(0.0, "large"), (500.0, "large")]


def test_it_counts_in_the_partition_where_it_runs():
    """A limit on submissions of the QOS of `small`, which it names first, counts it no more when it runs in `large`."""
    found = machine(limits=Limits(group_submit=1))
    one = found.submit(tt.Job(runtime=50, user="ann", partition="small,large", nodes="1:ppn=4"))
    found.env.run(until=1)
    assert one.state == State.RUNNING
    assert ran(found, {"runtime": 5, "partition": "small"}) == [(1.0, "small")]


def test_who_is_refused_everywhere_is_refused():
    """One partition that takes it is enough, unless all have to."""
    long = {"runtime": 101}
    assert ran(machine(enforce_partition_limits="ANY"), long) == [(0.0, "large")]
    every = machine(enforce_partition_limits="ALL")
    start, partition = ran(every, long)[0]
    assert math.isnan(start) and partition == "small,large"
    assert every.result().notes == ["1 job was refused: max_time of partition small"]


def test_policies_that_remember_plans_take_the_first():
    """And the result says so."""
    found = machine("conservative")
    assert [start for start, _ in ran(found, {"runtime": 5}, {"runtime": 5})] == [0.0, 5.0]
    assert [note for note in found.result().notes if "several" in note] == [
        f"jobs in several partitions: 2; under policy {found.policy}, which remembers its plans, they are in the first "
        "one alone"
    ]


def test_it_is_charged_as_its_partition_charges():
    """Under `multifactor`."""
    dear = replace(LARGE, tier=1, billing_weights={"cpu": 3.0})
    rules = PriorityRules(type="multifactor", fairshare=1000, half_life=0)
    parts = {"partitions": (SMALL, dear), "qos": (QOS("normal"), QOS("few"))}
    site = Site(nodes=NODES, accounts=ASSOCIATIONS, priority=rules, **parts)
    found = tt.MachineSpec.of_site(site).open(simpy.Environment())
    ran(found, {"runtime": 100, "partition": "small"}, {"runtime": 100})
    assert found.policy.order.accounts.raw_usage(100.0)["a", "ann", None] == 100 * (4 + 3 * 4)


def test_a_prediction_knows_all_entries():
    """A waiting job is predicted to start where it can first."""
    found = machine("slurm:bf_interval=0")
    usual = {"user": "ann", "nodes": "1:ppn=4"}
    for runtime, partition in ((90, "large"), (90, "large"), (50, "small")):
        found.submit(tt.Job(runtime=runtime, partition=partition, **usual))
    found.env.run(until=1)
    waits = found.submit(tt.Job(runtime=5, partition="large,small", **usual))
    found.env.run(until=2)
    assert found.sight("ann").predicted_start(waits) == 50.0
    found.env.run()
    assert (waits.value.start, waits.value.partition) == (50.0, "small")


def test_logs_name_several_partitions():
    """A log's number may stand for `small,large`; the result has the partition in which the job ran."""
    log = tt.Trace(
        {"id": [1, 2], "submit": [0, 1], "runtime": [50, 50], "allocated": [4, 4], "partition": [1, 2]},
        names={"partition": {1: "small", 2: "small,large"}},
    )
    site = Site(nodes=NODES, partitions=(SMALL, LARGE), qos=(QOS("normal"), QOS("few")))
    result = tt.replay(log, tt.MachineSpec.of_site(site))
    assert result.jobs[["start", "partition"]].to_numpy().tolist() == [[0.0, "small"], [1.0, "large"]]


def test_tiers_come_first_under_every_order():
    """Under `slurm` with an order that knows nothing of tiers; other rules go by the order alone."""
    site = Site(nodes=NODES, partitions=(Partition("lo"), Partition("hi", tier=3)))
    jobs = ((50, "lo"), (20, "lo"), (30, "hi"))
    for rule, expected in (("slurm", [50.0, 30.0, 0.0]), ("easy", [50.0, 0.0, 20.0])):
        found = replace(tt.MachineSpec.of_site(site), policy=f"{rule}:order=sjf").open(simpy.Environment())
        wide = [{"runtime": runtime, "partition": name, "nodes": "3:ppn=4"} for runtime, name in jobs]
        assert [start for start, _ in ran(found, *wide)] == expected


@pytest.mark.parametrize("policy", ["slurm:bf_interval=0", "easy"])
def test_a_job_waits_for_the_limit_of_a_partition_that_may_take_it(policy):
    """A long job is never for `small`; in both it waits for the limit on `large`, and in `small` alone for ever."""
    parts = replace(SMALL, qos=None), replace(LARGE, qos="few")
    qualities = QOS("normal"), QOS("few", limits=Limits(max_jobs=1))
    site = Site(nodes=NODES, partitions=parts, qos=qualities, accounts=ASSOCIATIONS, enforce=frozenset({"limits"}))
    found = replace(tt.MachineSpec.of_site(site), policy=policy, reasons=True).open(simpy.Environment())
    for partition in ("large", "small,large", "small"):
        found.submit(tt.Job(runtime=101, user="ann", nodes="1:ppn=4", partition=partition))
    found.env.run(until=5)
    limits = [None, "max_jobs of QOS few", "max_time of partition small"]
    assert found.result().labels("limit").tolist() == limits
