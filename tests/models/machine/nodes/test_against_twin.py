"""Every start, end, node and promise on random small clusters against a brute-force scheduler."""

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.machine.nodes.twin import Twin
from tests.models.machine.nodes.twin_rooms import TwinJob
from thinktime.models.policies import ORDERS
from thinktime.workloads.node_requests import Chunk, NodeRequest
from thinktime.workloads.nodes import Cluster, Nodes

RULES = {
    "fcfs": ("none", {}),
    "none:order=sjf": ("none", {}),
    "no-guarantee:order=smallest": ("no-guarantee", {}),
    "easy": ("easy", {}),
    "easy:order=sjf": ("easy", {}),
    "easy:reservations=3": ("easy", {"reservations": 3}),
    "conservative-dynamic": ("conservative-dynamic", {}),
    "conservative-dynamic:order=largest": ("conservative-dynamic", {}),
    "conservative": ("conservative", {"compress": "completion"}),
    "conservative:order=sjf": ("conservative", {"compress": "completion"}),
    "conservative:compress=event": ("conservative", {"compress": "event"}),
    "conservative:compress=scheduled": ("conservative", {"compress": "scheduled"}),
    "conservative:compress=none": ("conservative", {"compress": "none"}),
    "cplant:starve=5s,order=sjf": ("cplant", {"starve": 5}),
    "cplant:starve=12s,order=largest": ("cplant", {"starve": 12}),
    "cplant:starve=0s,order=fcfs": ("cplant", {"starve": 0}),
    "slack:awt=8": ("slack", {"awt": 8, "heuristic": "ast"}),
    "slack:awt=20,heuristic=aat": ("slack", {"awt": 20, "heuristic": "aat"}),
    "slack:awt=3,heuristic=du,delayed=removed": ("slack", {"awt": 3, "heuristic": "du", "delayed": "removed"}),
    "slack:awt=8,heuristic=dc,permutations=3": ("slack", {"awt": 8, "heuristic": "dc", "permutations": 3}),
    "slack:awt=15,heuristic=dp": ("slack", {"awt": 15, "heuristic": "dp"}),
    "tradeoff:heuristic=fcfs,bound=3,tau=2,comparison=hierarchical,limit=60": (
        "tradeoff",
        {"algorithm": "dds", "bound": 3, "tau": 2, "comparison": "hierarchical", "limit": 60},
    ),
    "tradeoff:tau=5,comparison=product,limit=40,algorithm=lds,heuristic=sjf": (
        "tradeoff",
        {"algorithm": "lds", "tau": 5, "comparison": "product", "limit": 40},
    ),
}
FEWER = {"slack": 3, "tradeoff": 2}
"""The brute force that prices or searches takes so many times as long."""
MACHINES = ("kill", None), ("extend", None), ("until_needed", None), ("kill", 0.5), ("extend", 0.5)
"""An overrun rule, and what factor of the run times policies plan with; None: they plan with the requests."""
SORTS = {
    "sjf": lambda job: job.estimate,
    "smallest": lambda job: sum(count * need["processors"] for count, need, _ in job.chunks),
    "largest": lambda job: -sum(count * need["processors"] for count, need, _ in job.chunks),
}
WORDS = (("fast",), ("^fast",), ("cl_a",), ("a1",), ("^b1", "nosuch"), *[()] * 9)
ALLOCATORS = ("first-fit", "best-fit", "worst-fit")


def random_nodes(random):
    """One or two clusters of up to three nodes each; equal nodes of one processor are another matter (`test_alike`)."""
    clusters = []
    for name in ("a", "b")[: int(random.integers(1, 3))]:
        amounts = {"processors": int(random.integers(1, 6)), "memory": int(random.integers(4, 12))}
        if name == "b":
            amounts["gpus"] = int(random.integers(0, 3))
        clusters.append(Cluster(name, int(random.integers(1, 4)), amounts, {"fast"} if name == "a" else set()))
    if len(clusters) == 1:
        clusters[0].resources["processors"] += clusters[0].resources["processors"] == 1
    return Nodes(clusters)


def random_request(random, nodes):
    """Up to two kinds of chunks; one in three jobs is plain processors."""
    if random.random() < 0.3:
        return NodeRequest.packed(int(random.integers(1, 6)), int(random.integers(0, 3)))
    chunks = []
    for _ in range(1 + int(random.random() < 0.25)):
        amounts = {"processors": int(random.integers(1, 4))}
        if random.random() < 0.6:
            amounts["memory"] = int(random.integers(1, 7))
        if "gpus" in nodes.resources and random.random() < 0.2:
            amounts["gpus"] = 1
        words = WORDS[int(random.integers(len(WORDS)))]
        chunks.append(Chunk(int(random.integers(1, 4)), tuple(amounts.items()), words))
    return NodeRequest(tuple(chunks), random.random() < 0.12, random.random() < 0.7)


def random_case(seed):
    """Nodes, and jobs that all could run on them; in one case of six they ask for processors anywhere."""
    random = np.random.default_rng(seed)
    nodes, anywhere = random_nodes(random), seed % 6 == 4
    jobs, now = [], 0
    for _ in range(int(random.integers(4, 16))):
        now += int(random.integers(0, 5)) * int(random.random() < 0.6)
        estimate = int(random.integers(1, 14))
        runtime = int(random.integers(1, 18)) if random.random() < 0.7 else estimate
        plain = NodeRequest.packed(int(random.integers(1, 6)))
        jobs.append((now, runtime, estimate, plain if anywhere else random_request(random, nodes)))
    return nodes, jobs


def twin_of(nodes, jobs, spec, allocator, overrun, factor):
    """The brute-force schedule."""
    rule, options = RULES[spec]
    order = SORTS.get(spec.replace("heuristic=", "order=").partition("order=")[2].partition(",")[0])
    known = [
        ({name: cluster.resources.get(name, 0) for name in nodes.resources}, has)
        for cluster, has in zip([c for c in nodes.clusters for _ in range(c.count)], nodes.properties, strict=True)
    ]
    twin = Twin(known, rule, allocator, overrun, order, factor=factor, **options)
    twin.now = 0
    made = []
    for number, (submit, runtime, estimate, request) in enumerate(jobs, start=1):
        chunks = [(c.count, dict(c.resources), list(c.properties)) for c in request.chunks]
        job = TwinJob(number, submit, runtime, estimate, chunks, request.apart, request.exclusive)
        if factor is not None:
            job.limit, run = estimate, min(runtime, estimate) if overrun == "kill" else runtime
            job.estimate = max(1, factor * run)
        made.append(job)
    made = [job for job in made if twin.place(job, twin.whole()) is not None]
    twin.run(made)
    return twin, {job.id: job for job in made}


def machine_of(nodes, jobs, spec, allocator, overrun, factor):
    """The same jobs on the package's machine."""
    env = simpy.Environment()
    estimates = "requested" if factor is None else f"factor={factor}"
    machine = tt.Machine(env, policy=spec, overrun=overrun, nodes=nodes, allocator=allocator, estimates=estimates)

    def submit():
        for number, (at, runtime, estimate, request) in enumerate(jobs, start=1):
            yield env.timeout(at - env.now)
            try:
                machine.submit(tt.Job(id=number, runtime=runtime, estimate=estimate, nodes=request))
            except ValueError as error:
                assert "even if they were idle" in str(error)

    env.process(submit())
    env.run()
    return machine, machine.result()


def compare(seed, spec, *given):
    """One case: everything must agree. Returns the twin."""
    nodes, jobs = random_case(seed)
    twin, expected = twin_of(nodes, jobs, spec, *given)
    machine, result = machine_of(nodes, jobs, spec, *given)
    assert set(result["id"].tolist()) == set(expected), seed
    for i, number in enumerate(result["id"].tolist()):
        job = expected[number]
        found = (result["start"][i], result["end"][i], result.nodes.of(i))
        assert found == (job.start, job.end, sorted({v for v, _ in job.places})), (seed, number)
        if "conservative" in spec and "dynamic" not in spec:
            assert result["promised"][i] == job.promised, (seed, number)
            assert machine.policy.broken == twin.broken, seed
        if spec.startswith("slack"):
            assert result["promised"][i] == job.promised, (seed, number)
            assert result["latest_start"][i] == job.latest_start, (seed, number)
            assert machine.policy.broken == twin.broken, seed
    return twin


@pytest.mark.parametrize("how_many", few_or_many(11, 90))
@pytest.mark.parametrize("spec", RULES)
def test_every_start_and_node_is_the_twins(spec, how_many):
    """Under all rules, allocators, overrun rules and estimates, starts, ends and nodes are the twin's."""
    twins = {machine: [] for machine in MACHINES}
    rule = RULES[spec][0]
    for seed in range(how_many // FEWER.get(rule, 1)):
        machine = MACHINES[seed // 3 % 5]
        twins[machine].append(compare(seed, spec, ALLOCATORS[seed % 3], *machine))
    for seed in range(1000, 1000 + how_many // 9):
        compare(seed, spec, ("consecutive", "serial-last")[seed % 2], *MACHINES[seed % 5])
    if rule in FEWER:
        assert sum(twin.moved for each in twins.values() for twin in each) > how_many // 18
        return
    assert sum(twin.evicted for twin in twins["until_needed", None]) > how_many // 18
    if "conservative" in spec and "dynamic" not in spec:
        assert sum(twin.broken for twin in twins["kill", 0.5]) > how_many // 18


def test_the_orders_of_the_twin_exist():
    """The keys above are those of orders of the package."""
    assert set(SORTS) <= set(ORDERS)
