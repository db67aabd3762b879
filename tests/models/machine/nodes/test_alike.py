"""Nodes of one processor each are a pool of processors, under every policy."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.wanted import Wanted
from thinktime.models.policies import ORDERS, as_policy
from thinktime.models.policies.cplant.policy import SCHEDULERS
from thinktime.models.policies.spec import RULES, catalogue
from thinktime.workloads.nodes import Cluster, Nodes

PROCESSORS = 8
SERIAL = 4
"""The seed of a log whose jobs have one processor each."""
MACHINES = (("kill", "requested"), ("extend", "factor=0.5"), ("until_needed", "requested"), ("kill", "last-two"))
MORE_MACHINES = ("extend", "requested"), ("kill", "factor=0.5"), ("extend", "last-two")
SOURCES = tt.sources.log, tt.sources.dependencies, tt.sources.feedback
SMALL = {
    "slack": ["awt=30"],
    "tradeoff": ["limit=20"],
    "tradeoff-fs": ["limit=20"],
    "cplant": ["starve=10s"],
    **{
        name: ["half_life=30s"] + ["starve=10s"] * ("starve" in text) + ["runtime_limit=15s"] * ("limit" in text)
        for name, text in SCHEDULERS.items()
    },
}
"""Options that a policy needs, or that let it do something within a minute."""
TAKES_ORDERS = [entry.name for entry in catalogue() if entry.name in RULES and entry.options.startswith("order")]
BY = ("fcfs", "sjf", "lxf", "fairshare,half_life=30s", "relshare,window=6h")
COMPILED_ANEW = {"conservative-dynamic", "cplant"}
"""Rules with which relshare would need minutes of compilation more, and nothing that the others do not show."""


def spelt(name, *options):
    """A policy with options, and with those that it needs."""
    given = [*options, *SMALL.get(name, [])]
    return f"{name}:{','.join(given)}" if given else name


CATALOGUE = [spelt(entry.name) for entry in catalogue() if entry.name != "multifactor"]  # which needs a site
ORDERED = [
    spelt(name, f"order={order}")
    for name in TAKES_ORDERS
    for order in BY
    if not (order.startswith("relshare") and name in COMPILED_ANEW)
]
FURTHER = [
    *[f"conservative:compress={each},order={order}" for each in ("event", "scheduled", "none") for order in BY[:3]],
    *[f"easy:reservations=3,order={order}" for order in BY[:4]],
    "easy:order=relshare,resort=start",
    "cplant:starve=10s,barred=heavy",
    "ostrich:within=mlpt",
    "ostrich:backfilling=none,corrected=yes",
    "easy:runtime_limit=15s",
    "conservative:runtime_limit=15s,order=f2",
]


def trace(seed, jobs=40):
    """A crowded log with ties, early ends, overruns, zero run times and dependencies."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([1, 2, 5, 10, 20, 40], jobs)
    serial = seed == SERIAL
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, jobs if serial else 3 * jobs, jobs)),
            "wait": rng.integers(0, 20, jobs),
            "runtime": np.minimum(rng.integers(0, 50, jobs), 2 * estimate),
            "requested_processors": rng.integers(1, 2 if serial else PROCESSORS + 1, jobs),
            "requested_time": estimate,
            "user": rng.integers(1, 5, jobs),
            "preceding": np.maximum(np.arange(jobs) - rng.integers(0, 9, jobs), -1),
            "think_time": rng.choice([0.0, 0.0, 5.0], jobs),
        }
    )


def schedule(result):
    """What became of each job, as text, in which NaN equals NaN."""
    names = ("id", "submit", "start", "end", "processors", "state", "promised", "latest_start")
    return repr([result[name].tolist() for name in names])


def refused(policy, *how):
    """Whether the table of impossible combinations has the policy, with this overrun and these estimates, on nodes."""
    try:
        refuse(Wanted(as_policy(policy), *how, nodes=True))
    except ValueError:
        return True
    return False


LEAPING = {"easy", "conservative:order=fairshare,half_life=30s"}
POLICIES = [policy for policy in CATALOGUE + ORDERED + FURTHER if not refused(policy)]


def test_what_is_refused_on_nodes_is_little():
    """All policies of the catalogue plan for nodes, but for those that the table names."""
    left = {policy.partition(":")[0] for policy in CATALOGUE if refused(policy)}
    assert left == {"recorded"}
    assert set(ORDERS) & left == set()


def of_log(policy, source, seed, rules, **machine):
    """The schedule of a log."""
    return schedule(tt.run(tt.MachineSpec(policy=policy, **rules, **machine), source(trace(seed))))


def some_policies(first, many):
    """Each policy with all machines in a thorough run, and every second one, and those that leap, with few in each."""
    soon = [each for place, each in enumerate(POLICIES) if place % 2 == first or each in LEAPING]
    thorough = [pytest.param(many, each, marks=pytest.mark.thorough) for each in POLICIES]
    return [(1, each) for each in soon] + thorough


def some(policy, many, how_many):
    """So many of the possible machines, with their numbers: others for each policy, and all for those that leap."""
    possible = [(seed, each) for seed, each in enumerate(many) if not refused(policy, *each)]
    first, how_many = POLICIES.index(policy), len(possible) if policy in LEAPING else how_many
    return [each for place, each in enumerate(possible) if (place - first) % len(possible) < how_many]


@pytest.mark.parametrize(("how_many", "policy"), some_policies(0, 7))
def test_a_log_has_the_schedule_of_the_pool(monkeypatch, policy, how_many):
    """Under every policy and overrun rule, by all estimates, jobs of a log start as on processors.

    The leaps of a few rules stand for all, and so does every source with every kind of estimates: each takes seconds to
    compile, for processors and for nodes. Under the other rules, jobs with estimates of their own come from the log,
    and those with predicted ones come one after the other.
    """
    machines = MACHINES + MORE_MACHINES * (policy not in ORDERED)
    for leap in ("1", "0")[policy not in LEAPING :]:
        monkeypatch.setenv("THINKTIME_LEAP", leap)
        for seed, (overrun, estimates) in some(policy, machines, how_many):
            source = seed % 3 if policy in LEAPING else 0 if estimates == "requested" else 1 + seed % 2
            given = policy, SOURCES[source], seed, {"overrun": overrun, "estimates": estimates}
            pool = of_log(*given, processors=PROCESSORS)
            assert of_log(*given, nodes=Nodes.uniform(PROCESSORS, 1)) == pool, (seed, leap)


def by_users(seed, policy, overrun, **machine):
    """Users who submit, ask when their jobs will start, and take some back; what they were told, and the schedule."""
    rng = np.random.default_rng(seed)
    env = simpy.Environment()
    there = tt.Machine(env, policy=policy, overrun=overrun, **machine)
    told = []

    def owner(number):
        count, estimate = int(rng.integers(1, PROCESSORS + 1)), int(rng.integers(1, 20))
        submit, runtime, patience = rng.integers(0, 60), rng.integers(0, 30), rng.integers(1, 40)
        asks = there.nodes is not None and number % 2
        yield env.timeout(int(submit))
        size = {"nodes": f"{count}:ppn=1" + ":mem=3" * (number % 5 == 0)} if asks else {"processors": count}
        event = there.submit(tt.Job(runtime=int(runtime), estimate=estimate, user=f"u{number % 3}", **size))
        yield env.timeout(int(patience) / 2)
        try:
            told.append((number, env.now, there.sight(f"u{number % 3}").predicted_start(event)))
        except ValueError as error:  # it runs, or is over
            told.append((number, env.now, str(error)))
        if number % 4 == 0:
            yield env.timeout(int(patience))
            event.cancel()

    for number in range(1, 26):
        env.process(owner(number))
    env.run()
    return repr(told), schedule(there.result())


@pytest.mark.parametrize(("how_many", "policy"), some_policies(1, 3))
def test_users_see_the_schedule_of_the_pool(monkeypatch, policy, how_many):
    """Jobs that ask for nodes or for processors start as on processors, and so it is predicted."""
    monkeypatch.setenv("THINKTIME_LEAP", "0")
    for seed, (overrun,) in some(policy, [("kill",), ("extend",), ("until_needed",)], how_many):
        pool = by_users(seed, policy, overrun, processors=PROCESSORS)
        nodes, allocator = (Nodes.uniform(PROCESSORS, 1, memory=4), ("first-fit", "best-fit", "worst-fit")[seed])
        assert by_users(seed, policy, overrun, nodes=nodes, allocator=allocator) == pool, (seed, overrun)


NAMED = ["fcfs", "easy", "easy:reservations=2", "conservative", "conservative-dynamic", "cplant:starve=5s"]


def machine_with(policy, overrun="kill"):
    """Four nodes of one processor each."""
    return tt.Machine(simpy.Environment(), policy=policy, overrun=overrun, nodes=Nodes.uniform(4, 1))


def job(nodes, length=5):
    """A job that asks for nodes and runs as long as it says."""
    return tt.Job(runtime=length, estimate=length, nodes=nodes)


@pytest.mark.parametrize("policy", NAMED)
def test_jobs_may_ask_for_nodes_by_name(policy):
    """Where the first jobs ask for nodes by their names, jobs get these, and wait for these."""
    there = machine_with(policy)
    for text in ("node3:ppn=1", "1:ppn=1", "node3:ppn=1", "2:ppn=1:^node3", "node1:ppn=1"):
        there.submit(job(text))
    there.env.run()
    result = there.result()
    strict = policy == "fcfs"
    assert result["start"].tolist() == ([0, 0, 5, 5, 10] if strict else [0, 0, 5, 0, 5])
    assert result.nodes.interval_sets() == ["2", "0", "2", "0-1" if strict else "1 3", "0"]


RESERVING = ["conservative", "conservative:order=lxf,compress=event", "conservative:compress=none", "slack:awt=20"]


def at(env, time, call):
    """Do something at a time."""
    yield env.timeout(time)
    call()


def crowd(there, seed, jobs=30):
    """Jobs with exact estimates that ask for processors, and come within 40 s."""
    rng = np.random.default_rng(seed)
    for _ in range(jobs):
        job = tt.Job(runtime=(length := int(rng.integers(1, 20))), estimate=length, processors=int(rng.integers(1, 5)))
        there.env.process(at(there.env, int(rng.integers(0, 40)), lambda job=job: there.submit(job)))


def check_nodes(result):
    """No two jobs are on one node at one time."""
    runs = [(result["start"][i], result["end"][i], set(result.nodes.of(i))) for i in range(len(result))]
    for i, (start, end, nodes) in enumerate(runs):
        for other_start, other_end, others in runs[:i]:
            assert not (nodes & others and start < other_end and other_start < end)


@pytest.mark.parametrize("policy", RESERVING)
def test_reservations_get_nodes_when_a_job_names_one(policy):
    """From then on it matters on which nodes jobs are; a job with a reservation keeps its time."""
    waited = 0
    for seed in range(8):
        env = simpy.Environment()
        there = tt.Machine(env, policy=policy, nodes=Nodes.uniform(4, 1))
        crowd(there, seed)
        there.env.process(at(env, 21, lambda there=there: there.submit(job("node3:ppn=1", 7))))
        env.run(until=21)
        waiting = [i for i, state in enumerate(there.result()["state"]) if state == tt.State.WAITING]
        env.run()
        result = there.result()
        check_nodes(result)
        latest = result["latest_start" if policy.startswith("slack") else "promised"]
        assert all(result["start"][i] <= latest[i] for i in waiting) and there.policy.broken == 0, seed
        assert [
            result.nodes.of(i) for i in range(len(result)) if result["runtime"][i] == 7 and result["submit"][i] == 21
        ][-1] == [2]
        waited += len(waiting)
    assert waited > 40


@pytest.mark.parametrize("policy", RESERVING[:3])
def test_reservations_get_nodes_when_a_window_is_announced(policy):
    """It names nodes: a job with a reservation keeps its time where it can, and no job is in the window."""
    for seed in range(8):
        env = simpy.Environment()
        there = tt.Machine(env, policy=policy, nodes=Nodes.uniform(4, 1), changes=tt.Changes())
        crowd(there, seed)
        closed = tt.Window(45, 60, ["node1", "node2"])
        env.process(at(env, 22, lambda there=there, closed=closed: there.add_window(closed)))
        env.run()
        result = there.result()
        check_nodes(result)
        for i in range(len(result)):
            inside = result["start"][i] < 60 and result["end"][i] > 45
            assert not (inside and {0, 1} & set(result.nodes.of(i))), (seed, i)
        late = sum(start > promised for start, promised in zip(result["start"], result["promised"], strict=True))
        assert late <= there.policy.broken


PROFILES = [
    "conservative", "conservative:order=lxf", "conservative:compress=event", "conservative:compress=scheduled",
    "conservative:compress=none,order=sjf", "conservative-dynamic", "easy:reservations=2", "easy", "cplant:starve=10s",
    "slack:awt=30", "tradeoff:limit=20", "easy:preempt=requeue,ranks=2:1", "easy:preempt=cancel,ranks=2:1,grace=3",
]  # fmt: skip
CLUSTERS = Nodes([Cluster("a", 3, {"processors": 1}), Cluster("b", 5, {"processors": 1, "memory": 4})])


@pytest.mark.parametrize(("policy", "overrun"), in_turn(2, PROFILES, ["kill", "extend"]))
@pytest.mark.parametrize("seeds", few_or_many(range(1), range(1, 3)), ids=str)
def test_several_clusters_and_machines_that_may_change_are_the_pool(policy, overrun, seeds):
    """Where any nodes serve every job, and have one processor each, jobs start as on processors, on the same ones."""
    outages = tt.Outages.of([(15, 40, "0-1"), (70, 75, "3")])
    for seed in seeds:
        rng = np.random.default_rng(seed)
        log = trace(seed).with_columns(queue=rng.integers(1, 3, 40))
        if "preempt" not in policy:
            pool = tt.replay(log, policy, PROCESSORS, overrun=overrun)
            assert schedule(tt.replay(log, policy, nodes=CLUSTERS, overrun=overrun)) == schedule(pool)
        if policy.startswith(("slack", "tradeoff")):
            continue  # refused on nodes that change
        for changes in (tt.Changes(), tt.Changes(outages=outages), tt.Changes(outages=outages, repairs="told")):
            pool = tt.replay(log, policy, PROCESSORS, overrun=overrun, changes=changes)
            for nodes in (CLUSTERS, Nodes.uniform(PROCESSORS, 1)):
                found = tt.replay(log, policy, nodes=nodes, overrun=overrun, changes=changes)
                assert schedule(found) == schedule(pool)
                assert found.runs["indices"].tolist() == pool.runs["indices"].tolist()


@pytest.mark.parametrize("policy", ["conservative:compress=none", "easy"])
def test_on_larger_nodes_reservations_hold_nodes(policy):
    """Job 3 has node 1 from 5 s on, and job 2 node 2 up to then: on processors, job 4 fits in between; on nodes, not.

    Equal jobs of four processors on nodes of four are no exception. Rules without reservations for all make no
    difference.
    """
    columns = {"submit": [0, 0, 0, 3], "runtime": [2, 5, 10, 6], "requested_time": [5, 5, 10, 6]}
    log = tt.Trace(columns | {"requested_processors": [4] * 4})
    starts = [
        tt.replay(log, policy, **there)["start"].tolist()
        for there in ({"processors": 8}, {"nodes": Nodes.uniform(2, 4)})
    ]
    if policy == "easy":
        assert starts == [[0, 0, 2, 5]] * 2
    else:
        assert starts == [[0, 0, 5, 3], [0, 0, 5, 5]]
