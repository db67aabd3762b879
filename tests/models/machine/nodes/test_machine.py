"""A machine of nodes for those who use it: requests, holds, allocators, policies of their own, files."""

import csv

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Cluster, Nodes

GB = 2**30


def run(jobs, nodes=None, policy="fcfs", **options):
    """The result of jobs that are all submitted at 0."""
    env = simpy.Environment()
    machine = tt.Machine(env, policy=policy, nodes=nodes or Nodes.uniform(4, 8, memory=16 * GB), **options)
    for number, job in enumerate(jobs, start=1):
        machine.submit(tt.Job(id=number, **job))
    env.run()
    return machine.result()


def on(result):
    """The nodes of each job as intervals."""
    return result.nodes.interval_sets()


def test_memory_binds_where_processors_do_not():
    """Two jobs of 10 GB do not fit on a node of 16 GB together, though its processors do."""
    jobs = [{"runtime": 5, "nodes": "1:ppn=1:mem=10gb"}] * 5
    result = run(jobs)
    assert result["start"].tolist() == [0, 0, 0, 0, 5]
    assert on(result) == ["0", "1", "2", "3", "0"]


def test_chunks_have_nodes_of_their_own_unless_packed():
    """Two chunks of two processors take two nodes; packed, they take one."""
    jobs = [
        {"runtime": 5, "nodes": "2:ppn=2"},
        {"runtime": 5, "nodes": "2:ppn=2#pack"},
        {"runtime": 5, "processors": 12},
    ]
    assert on(run(jobs)) == ["0-1", "0", "0-2"]


def test_exclusive_nodes_are_idle_before_and_taken_whole():
    """An exclusive job waits for idle nodes and shares them with no job."""
    jobs = [
        {"runtime": 5, "nodes": "3:ppn=1"},
        {"runtime": 5, "nodes": "2:ppn=1#excl"},
        {"runtime": 5, "nodes": "4:ppn=1"},
    ]
    result = run(jobs, policy="no-guarantee")
    assert result["start"].tolist() == [0, 5, 0]
    assert run(jobs[1:])["start"].tolist() == [0, 5]


def test_properties_clusters_and_hosts():
    """Requests may name clusters, properties and hosts, or exclude them."""
    nodes = Nodes(
        [Cluster("old", 2, {"processors": 4}), Cluster("new", 2, {"processors": 4, "gpus": 2}, {"infiniband"})]
    )
    asked = ["1:ppn=1:infiniband", "1:ppn=1:^infiniband", "1:ppn=1:cl_new:^new1", "1:ppn=1:old2.site.org", "1:gpus=2"]
    jobs = [{"runtime": 5, "nodes": text} for text in asked]
    assert on(run(jobs, nodes)) == ["2", "0", "3", "1", "2"]


def test_allocators():
    """First, best and worst fit, and a function, choose the nodes that they say."""
    jobs = [
        {"runtime": 9, "nodes": "1:ppn=2:node3"},
        {"runtime": 9, "nodes": "1:ppn=1"},
        {"runtime": 9, "nodes": "1:ppn=1"},
    ]

    def last(free, chunk, nodes):
        """The node with the highest number."""
        assert free.shape == (4, 2) and chunk.processors >= 1 and nodes.count == 4
        return -np.arange(len(free))

    found = {each: on(run(jobs, allocator=each)) for each in ("first-fit", "best-fit", "worst-fit", last)}
    assert found["first-fit"] == ["2", "0", "0"]
    assert found["best-fit"] == ["2", "2", "2"]
    assert found["worst-fit"] == ["2", "0", "1"]
    assert found[last] == ["2", "3", "3"]


def test_a_policy_of_ones_own():
    """A plain function sees what is free on the nodes and what fits, and cannot change it."""

    def mine(view, now):
        free = view.nodes.free
        free[:] = 0
        return (job for job in view.queue if view.fits(job))

    jobs = [{"runtime": 5, "nodes": "4:ppn=5"}, {"runtime": 5, "nodes": "1:ppn=8"}, {"runtime": 5, "nodes": "4:ppn=3"}]
    result = run(jobs, policy=mine)
    assert result["start"].tolist() == [0, 5, 0]


def test_a_proposal_without_room_is_refused_by_name():
    """The machine says which job has no room, and what it asked for."""
    jobs = [{"runtime": 5, "nodes": "1:ppn=1:mem=10gb"}, {"runtime": 5, "nodes": "4:ppn=1:mem=10gb"}]
    with pytest.raises(tt.PolicyError, match=r"start job 2 \(4:ppn=1:mem=10737418240\) at 0 s, but there is no room"):
        run(jobs, policy=lambda view, now: view.waiting)


def test_holds_cancels_and_resources_as_in_simpy():
    """`with machine.request(nodes=…)`, cancel and count work on nodes."""
    env = simpy.Environment()
    machine = tt.Machine(env, nodes=Nodes.uniform(2, 4), policy="easy")
    log = []

    def holder():
        with machine.request(nodes="2:ppn=3") as hold:
            yield hold
            log.append((env.now, machine.count))
            yield env.timeout(7)

    def others():
        waiting = machine.submit(tt.Job(runtime=5, nodes="1:ppn=4"))
        gone = machine.submit(tt.Job(runtime=5, nodes="1:ppn=4"))
        small = machine.submit(tt.Job(runtime=100, nodes="2:ppn=1"))
        yield env.timeout(1)
        gone.cancel()
        yield env.timeout(1)
        small.cancel()
        record = yield waiting
        log.append((record.start, record.end))

    env.process(holder())
    env.process(others())
    env.run()
    assert log == [(0, 8), (7, 12)]
    assert (machine.result()["start"] == [0, 7, np.nan, 0]).tolist() == [True, True, False, True]


def test_impossible_jobs():
    """A job that no idle machine could run is refused at submission, in a replay as in a script."""
    env = simpy.Environment()
    machine = tt.Machine(env, nodes=Nodes.uniform(2, 4, memory=GB))
    for text in ("3:ppn=1", "1:ppn=5", "1:ppn=1:mem=2gb", "1:ppn=1:gpus=1"):
        with pytest.raises(ValueError, match="could not give even if they were idle"):
            machine.submit(tt.Job(runtime=1, nodes=text))
    with pytest.raises(ValueError, match="could not give"):
        machine.submit(tt.Job(runtime=1, processors=9))


def test_what_a_machine_of_nodes_refuses():
    """A schedule that is known before, sizes that differ and unknown allocators are refused."""
    env, nodes = simpy.Environment(), Nodes.uniform(2, 4)
    for wrong, message in (
        ({"policy": "recorded"}, "need not fit the nodes"),
        ({"processors": 9}, "have 8 processors, not 9"),
        ({"allocator": "next-fit"}, "allocator is 'next-fit'"),
    ):
        with pytest.raises(ValueError, match=message):
            tt.Machine(env, nodes=nodes, **wrong)


def test_requests_in_words():
    """A request is read from text and written back, and a wrong one is named."""
    request = NodeRequest.parse("2:ppn=12:mem=4gb:gpus=1:infiniband:^old + 1:ppn=1 #excl")
    assert request.processors == 25 and request.exclusive and request.apart
    assert request.amount("gpus") == 2
    assert request.chunks[0].memory == 4 * GB
    assert request.chunks[0].properties == ("infiniband", "^old")
    assert NodeRequest.parse(str(request)) == request
    assert NodeRequest.parse("node3:ppn=2").chunks[0].properties == ("node3",)
    assert NodeRequest.parse("1:ppn=2:pmem=1.5gb").chunks[0].memory == 3 * GB
    for wrong, message in (
        ("0:ppn=1", "at least one"),
        ("1:ppn=x", "not an amount"),
        ("1#odd", "neither"),
        ("", "begins"),
    ):
        with pytest.raises(ValueError, match=message):
            NodeRequest.parse(wrong)
    with pytest.raises(ValueError, match="requests 4 processors, not 3"):
        tt.Job(runtime=1, processors=3, nodes="2:ppn=2")


def test_machines_files(tmp_path):
    """Clusters, memory, properties and GPUs are read from Alea's file, and a wrong line is named."""
    path = tmp_path / "x.machines"
    path.write_text("; a site\n0\tzewura\t20\t80\t1\t529426432\n1 gpu 2 16 1 1048576 fast,infiniband 4\n")
    nodes = Nodes.read(path)
    assert (nodes.count, nodes.total(), nodes.resources) == (22, 1632, ("processors", "memory", "gpus"))
    assert nodes.capacity[0].tolist() == [80, 529426432 * 1024, 0]
    assert nodes.capacity[21].tolist() == [16, GB, 4]
    assert "infiniband" in nodes.properties[20] and "gpu2" in nodes.properties[21]
    for text, message in (
        ("0 a 1\n", "line 1: found 3 columns"),
        ("0 a b 1 1\n", r"column 3 \(nodes\): 'b' is not a whole number"),
        ("", "describes no machines"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            Nodes.read(path)
    with pytest.raises(FileNotFoundError, match="there is no machines file"):
        Nodes.read(tmp_path / "none.machines")


def test_jobs_csv_names_nodes(tmp_path):
    """Batsim's jobs.csv has interval sets of nodes."""
    result = run([{"runtime": 5, "nodes": "3:ppn=8"}, {"runtime": 5, "nodes": "1:ppn=1:node4"}], policy="easy")
    with result.to_csv(tmp_path / "jobs.csv").open() as file:
        assert [row["allocated_resources"] for row in csv.DictReader(file)] == ["0-2", "3"]


def test_runs_of_no_length():
    """Jobs of run time 0 take and give their nodes within an instant."""
    result = run([{"runtime": 0, "nodes": "4:ppn=8"}] * 3 + [{"runtime": 2, "nodes": "4:ppn=8"}], policy="conservative")
    assert result["end"].tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize(
    ("measure", "third"), [("processors", "b"), ("processor-equivalent", "a"), ("dominant-resource", "a")]
)
def test_fairshare_by_what_binds(measure, third):
    """With fairshare, who is next depends on the measure of usage."""
    nodes = Nodes.uniform(1, 8, memory=16 * GB)
    jobs = [
        {"runtime": 10, "nodes": "1:ppn=3:mem=1gb", "user": "a"},
        {"runtime": 10, "nodes": "1:ppn=1:mem=12gb", "user": "b"},
        {"runtime": 5, "nodes": "1:ppn=8", "user": "b"},
        {"runtime": 5, "nodes": "1:ppn=8", "user": "a"},
    ]
    result = run(jobs, nodes, policy=f"none:order=fairshare,measure={measure}")
    at_ten = result.labels("user")[result["start"] == 10].tolist()
    assert at_ten == [third]


def test_dominant_resources_are_summed_one_by_one():
    """The dominant resource is the largest sum, not the sum of the largest."""
    nodes = Nodes.uniform(1, 10, memory=100)
    jobs = [
        {"runtime": 10, "nodes": "1:ppn=5:mem=1", "user": "a"},
        {"runtime": 10, "nodes": "1:ppn=1:mem=50", "user": "a"},
        {"runtime": 10, "nodes": "1:ppn=4:mem=45", "user": "b"},
    ]
    more = [{"runtime": 5, "nodes": "1:ppn=10", "user": user} for user in ("a", "b")]
    for measure, first in (("processor-equivalent", "b"), ("dominant-resource", "b")):
        result = run(jobs + more, nodes, policy=f"none:order=fairshare,measure={measure}")
        assert result.labels("user")[result["start"] == 10].tolist() == [first]
    b_twice = [jobs[0], jobs[1], {"runtime": 10, "nodes": "1:ppn=4:mem=49", "user": "b"}]
    b_twice += [{"runtime": 4, "nodes": "1:ppn=7:mem=10", "user": "b"}, *more]
    by = {}
    for measure in ("processor-equivalent", "dominant-resource"):
        result = run(b_twice, nodes, policy=f"none:order=fairshare,measure={measure}")
        last = np.argsort(result["start"])[-2:]
        by[measure] = result.labels("user")[last].tolist()
    # equivalents: a 10 (5 + 5) = 100, b 10 * 4.9 + 4 * 7 = 77; dominant: a 0.6 * 10 = 6, b 4 + 0.7 * 4 = 6.8
    assert by == {"processor-equivalent": ["b", "a"], "dominant-resource": ["a", "b"]}


@pytest.mark.parametrize("policy", ["fcfs", "no-guarantee", "easy", "conservative", "conservative-dynamic"])
def test_predicted_starts_come_true_on_nodes(policy):
    """If jobs run as long as they asked for and no more come, they start when users were told that they would."""
    rng = np.random.default_rng(5)
    env = simpy.Environment()
    machine = tt.Machine(
        env,
        policy=policy,
        nodes=Nodes([Cluster("a", 2, {"processors": 4, "memory": 8}), Cluster("b", 3, {"processors": 2, "memory": 2})]),
    )
    requests = ["1:ppn=4", "2:ppn=1:mem=2b", "4:ppn=1", "1:ppn=2:mem=6b", "2:ppn=2#excl", "3:ppn=2"]
    jobs = [
        machine.submit(tt.Job(user="ada", runtime=float(length), estimate=float(length), nodes=str(request)))
        for length, request in zip(rng.integers(1, 50, 40), rng.choice(requests, 40), strict=True)
    ]
    env.run(until=20)
    sight = machine.sight("ada")
    waiting = [job for job in jobs if job.state.name == "WAITING"]
    told = [sight.predicted_start(job) for job in waiting]
    assert len(waiting) > 10
    considered = sight.predicted_start(tt.Job(runtime=5.0, estimate=5.0, nodes="3:ppn=2"))
    free = machine.pool.site.free.copy()
    env.run()
    assert told == [job.value.start for job in waiting]
    assert np.isfinite(considered) and considered >= 20
    assert (free <= machine.pool.site.free).all()


def test_a_job_that_is_considered_starts_as_it_would():
    """What a user is told of a job that they only consider comes true if they submit it, on nodes too."""
    env = simpy.Environment()
    machine = tt.Machine(env, policy="easy", nodes=Nodes.uniform(2, 4, memory=8))
    for length in (10.0, 20.0):
        machine.submit(tt.Job(runtime=length, estimate=length, nodes="1:ppn=4:mem=8b"))
    env.run(until=1)
    job = tt.Job(user="ada", runtime=5.0, estimate=5.0, nodes="2:ppn=1")
    small = tt.Job(user="ada", runtime=5.0, estimate=5.0, nodes="1:ppn=2:mem=8b")
    sight = machine.sight("ada")
    assert [sight.predicted_start(each) for each in (job, small, job)] == [20, 10, 20]
    event = machine.submit(job)
    env.run()
    assert event.value.start == 20


@pytest.mark.parametrize("policy", ["easy", pytest.param("conservative", marks=pytest.mark.thorough)])
def test_places_are_given_out_as_they_are_needed(policy):
    """Memory is taken for the ranges of nodes that jobs have, and not for all nodes that they could have."""
    nodes, rng = Nodes.uniform(300, 4), np.random.default_rng(7)
    jobs = [{"runtime": float(rng.integers(1, 9)), "processors": int(rng.integers(1, 1200))} for _ in range(400)]
    env = simpy.Environment()
    machine = tt.Machine(env, policy=policy, nodes=nodes)
    for job in jobs:
        machine.submit(tt.Job(**job))
    env.run()
    result = machine.result()
    assert result["processors"].sum() == sum(job["processors"] for job in jobs)
    ranges = sum(len(text.split()) for text in on(result))
    could_have = np.minimum(result["processors"], 300).sum()
    assert len(machine.pool.site.places) < min(16 * ranges, could_have / 4)
