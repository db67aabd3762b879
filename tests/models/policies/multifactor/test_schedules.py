"""Start by start: `multifactor` under every rule against brute force, and the same with and without leaps."""

import numpy as np
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.models.engine.schedules import PROCESSORS, workload
from tests.models.policies.cplant.workloads import OVERRUNS, as_trace, outcomes, schedule, workloads
from tests.models.policies.multifactor import lab
from tests.models.policies.multifactor.test_fair_tree import package_tree
from tests.models.policies.multifactor.twin import Multifactor, Priorities
from thinktime.models.site.partitions import Partition
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site

RULES = ("none", "no-guarantee", "easy", "conservative", "conservative-dynamic")
TREE = {
    "physics": ("root", 2, False), "chemistry": ("root", 1, False), "lab": ("physics", 1, False),
    "1": ("lab", 1, True), "2": ("physics", 2, True), "3": ("chemistry", "parent", True),
}  # fmt: skip
"""User 4 is not in it."""
PARTITIONS = (Partition("main", default=True, job_factor=1), Partition("fast", job_factor=4, tier=2))
QUALITIES = (QOS("normal"), QOS("low", 5), QOS("high", 50))


@st.composite
def sites(draw, owner):
    """Weights and rules, as the twin and the package have them; the names of the jobs' queues."""
    weights = {name: draw(st.sampled_from([0, 7, 1000])) for name in ("age", "fairshare", "job_size", "qos")}
    exact, fair = draw(st.booleans()), draw(st.booleans())
    period, max_age = draw(st.sampled_from([1, 5, 20])), draw(st.sampled_from([10, 60]))
    enforced = draw(st.booleans()) and all(user < 4 for user in owner.values())  # else user 4 would be refused
    rules = PriorityRules(
        "multifactor", **weights, half_life=0, calc_period=period, max_age=max_age,
        flags=frozenset([] if fair else ["NO_FAIR_TREE"]),
    )  # fmt: skip
    site = Site(
        accounts=package_tree(TREE), qos=QUALITIES, priority=rules, enforce=frozenset(["limits"] if enforced else [])
    )
    queue = {job: draw(st.sampled_from([None, "normal", "low", "high"])) for job in owner}
    points = {"low": weights["qos"] * 0.1, "high": float(weights["qos"])}
    twin = Priorities(
        TREE, {job: str(user) if user < 4 else None for job, user in owner.items()}, weights["age"],
        weights["fairshare"], weights["job_size"], max_age, period, enforced, exact, fair,
        other={job: points.get(name, 0.0) for job, name in queue.items()},
    )  # fmt: skip
    return twin, site, queue


@settings(max_examples=120, deadline=None)
@given(st.data(), workloads(most=14, latest=15), st.sampled_from(RULES), st.sampled_from(OVERRUNS))
def test_every_rule_makes_the_twins_schedule(data, drawn, rule, overrun):
    """Priorities counted second by second lead to the same starts and ends."""
    jobs, owner = drawn
    rules, site, queue = data.draw(sites(owner))
    twin = Multifactor(jobs, 8, rules, rule=rule, overrun=overrun)
    twin.run()
    text = f"{rule}:order=multifactor,accrual={'exact' if rules.exact else 'slurm'}"
    log = as_trace(jobs, owner)
    names = [queue[number] for number in log.id.tolist()]
    spec = tt.MachineSpec(8, text, overrun, site=site)
    assert schedule(replayed(spec, log, names)) == outcomes(twin)


def replayed(spec, log, queues):
    """A replay whose jobs have queues with names."""
    env = simpy.Environment()
    machine = spec.open(env)
    machine.announce(machine.load(log, queues=np.array(queues, object)))
    env.run()
    return machine.result()


SITE = Site(
    partitions=PARTITIONS, qos=QUALITIES,
    accounts=package_tree({"physics": ("root", 2, False), **{str(k): ("physics", k, True) for k in (1, 2)},
                           "ada": ("root", 2, True), "bob": ("physics", 1, True), "eve": ("root", 1, True)}),
    priority=PriorityRules("multifactor", age=1000, fairshare=5000, job_size=300, qos=100, half_life=60.0,
                           calc_period=7.0, max_age=50.0),
)  # fmt: skip
OF_SITES = [
    "none:order=multifactor",
    "easy:order=multifactor,accrual=slurm",
    "easy:order=multifactor,ticks=0,reservations=2",
    "no-guarantee:order=age*10+fairshare*100,ticks=3s,half_life=30s",
    "conservative:order=multifactor,compress=event",
    "conservative-dynamic:order=multifactor,accrual=slurm",
    "cplant:starve=20s,order=multifactor",
    "easy:order=multifactor,runtime_limit=15s",
    "slurm:order=multifactor,accrual=slurm,bf_interval=3s",
    "slurm:order=age*10+fairshare*100,ticks=3s,half_life=30s,bf_interval=0",
]


def test_equal_users_in_a_flat_tree_are_fairshare():
    """Without a site, without weights but one, and without ticks, Fair Tree is the order by decayed usage."""
    log = workload(120)
    for rule in ("easy", "conservative"):
        by_tree = tt.replay(log, f"{rule}:order=fairshare*1,ticks=0,half_life=50s", PROCESSORS)
        by_usage = tt.replay(log, f"{rule}:order=fairshare,half_life=50s", PROCESSORS)
        assert np.array_equal(by_tree["start"], by_usage["start"], equal_nan=True)


def test_the_queue_of_a_real_site_starts_in_its_order():
    """Seven jobs for the whole machine behind another one start as they did under Slurm, one after the other."""
    jobs = lab.table("t04_tree", "jobs.csv")
    spec = tt.MachineSpec(
        policy="easy:order=multifactor,accrual=slurm,tick_origin=-2s", nodes=lab.NODES, site=lab.SITES["t04_tree"]
    )
    env = simpy.Environment()
    machine = spec.open(env)

    def submit(job):
        yield env.timeout(float(job["submit"]))
        nodes = f"{job['nodes']}:ppn={int(job['cpus']) // int(job['nodes'])}" + "#excl" * int(job["exclusive"])
        runtime = float(job["end"]) - float(job["start"])
        machine.submit(
            tt.Job(
                runtime=runtime, estimate=float(job["limit"]), nodes=nodes, user=job["user"], group=job["account"],
                id=int(job["id"]),
            )
        )  # fmt: skip

    for job in jobs:
        env.process(submit(job))
    env.run()
    result = machine.result()
    started = dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))
    real = {int(job["id"]): float(job["start"]) for job in jobs}
    assert sorted(started, key=started.get) == sorted(real, key=real.get)
    assert all(abs(started[job] - real[job]) <= 3 for job in real)
