"""One EET for each resource, and the latest counts: GPUs and whatever else nodes have."""

import json

import numpy as np
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.analysis.expectations.test_eet import algorithm_1
from tests.commands import refusal_of, stdout_of
from thinktime import Cluster, Nodes
from thinktime.analysis.evaluation.tables import jobs_table
from thinktime.analysis.expectations.capacity import Capacity
from thinktime.analysis.expectations.evaluate import evaluate
from thinktime.analysis.expectations.heatmap import usage
from thinktime.analysis.expectations.job_batches import as_batches
from thinktime.cli import main

GB = 2**30
NODES = Nodes([Cluster("gpu", 2, {"processors": 4, "memory": 8 * GB, "gpus": 2, "disks": 3})])


def on_nodes(*jobs):
    """The result of jobs (submit, user, run time, request) on two nodes of 4 processors, 8 GB, 2 GPUs, 3 disks."""
    env = simpy.Environment()
    machine = tt.Machine(env, nodes=NODES, policy="fcfs")

    def user():
        for submit, who, runtime, request in jobs:
            yield env.timeout(submit - env.now)
            machine.submit(tt.Job(runtime=runtime, user=who, nodes=request))

    env.process(user())
    env.run()
    return machine.result()


def test_the_scarcest_resource_decides():
    """A user who expects 4 processors, 8 GB, 1 GPU and 3 disks gets the EETs worked out by hand.

    Job 1 (2 GPUs, 10 s) has one GPU for 20 s. Job 2 (1 GPU, 5 s) gets it after that: 25 s. Job 3 (3 processors,
    4 s) finds 2 processors for 5 s, then 3: 6 s, and asks for no GPU. Job 4 (3 disks, 6 s) finds 1 disk for 10 s and
    3 from then on, 10 + 3 × 3 > 18: 13 s, where its processor alone would make it 12 s.
    """
    result = on_nodes(
        (0, "ann", 10, "1:ppn=1:gpus=2:disks=2"), (0, "ann", 5, "1:ppn=1:gpus=1"),
        (0, "ann", 4, "1:ppn=3:mem=1gb"), (0, "ann", 6, "1:ppn=1:disks=3"),
    )  # fmt: skip
    capacity = Capacity("constant", {"processors": 4, "memory": 8 * GB, "gpus": 1, "disks": 3})
    found = evaluate(result, capacity)
    assert found.eet.tolist() == [20, 25, 6, 13]
    assert evaluate(result, Capacity("constant", (4, None))).eet.tolist() == [10, 5, 6, 12]
    assert found.others["gpus"].tolist() == [2, 1, 0, 0]
    table = jobs_table(found)
    assert table["gpus"].tolist() == [2, 1, 0, 0] and table["disks"].tolist() == [2, 0, 0, 3]


def test_every_resource_is_shared_by_default():
    """The default capacity of each resource is the machine's over the mean active users, at least 1."""
    result = on_nodes((0, "ann", 10, "1:ppn=1:gpus=1"), (0, "ben", 10, "1:ppn=1:gpus=1"), (0, "cid", 10, "1:ppn=1"))
    found = evaluate(result)
    assert found.machine == {"processors": 8, "memory": 16 * GB, "disks": 6, "gpus": 4}
    assert dict(found.chosen.amounts) == {"processors": 3, "memory": -(-16 * GB // 3), "disks": 2, "gpus": 2}
    shared = evaluate(result, Capacity("shares", shares={"ann": 2.0})).chosen
    assert (shared.of("ann")["gpus"], shared.of("ben")["gpus"]) == (2, 1)
    pool = tt.replay(tt.Trace({"submit": [0], "runtime": [5], "allocated": [2]}), "fcfs", 4)
    assert evaluate(pool).machine == {"processors": 4}


JOB = st.tuples(
    st.integers(0, 9), st.sampled_from("ab"), st.integers(1, 9), st.integers(1, 4), st.integers(0, 2),
    st.integers(0, 3), st.integers(0, 8),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(jobs=st.lists(JOB, min_size=1, max_size=8), gpus=st.integers(1, 4), disks=st.integers(1, 6))
def test_against_the_algorithm_resource_by_resource(jobs, gpus, disks):
    """Every EET is the latest that Algorithm 1 gives for the resources that the job asks for."""
    jobs = sorted(jobs, key=lambda job: job[0])
    rows = [(s, u, r, f"1:ppn={p}:gpus={g}:disks={d}:mem={m}") for s, u, r, p, g, d, m in jobs]
    result = on_nodes(*rows)
    capacity = {"processors": 3, "gpus": gpus, "disks": disks, "memory": 5}
    found = evaluate(result, Capacity("constant", capacity))
    expected = np.zeros(len(jobs))
    for user in "ab":
        for name, place in (("processors", 3), ("gpus", 4), ("disks", 5), ("memory", 6)):
            mine = [i for i, job in enumerate(jobs) if job[1] == user and job[place] > 0]
            own = [(jobs[i][0], jobs[i][place], jobs[i][2]) for i in mine]
            for i, end in zip(mine, algorithm_1(own, [capacity[name]] * len(own)), strict=True):
                expected[i] = max(expected[i], end)
    assert found.eet.tolist() == expected.tolist()


def test_batches_parts_and_use_know_all_resources():
    """Batches add up all amounts, selections keep them, and use is the mean of what is held."""
    result = on_nodes((0, "a", 10, "1:ppn=1:gpus=1"), (0, "a", 10, "1:ppn=1:gpus=2"), (5, "b", 10, "1:ppn=1"))
    found = evaluate(result)
    assert as_batches(found, np.array([0, 0, 1])).others["gpus"].tolist() == [3, 0]
    assert found.only(["b"]).others["gpus"].tolist() == [0]
    used = usage(found, np.array([0.0, 10.0]))
    assert used["gpus"].tolist() == [3.0] and "disks" not in used


def gpu_site(folder):
    """Ten jobs with recorded waits on a node of 4 processors and 2 GPUs; one asks for more GPUs than there are."""
    lines = [
        f"{i} {1_356_996_147 + 5 * i} {7 * i} 20 1 -1 -1 1 60 -1 1 {i % 2 + 1} 1 1 -1 1 1 1 {{7}} q "
        f"1:ppn=1:gpus={9 if i == 4 else 1 + i % 2}"
        for i in range(10)
    ]
    (folder / "gpu.swf").write_text("\n".join(lines) + "\n")
    (folder / "gpu.machines").write_text("0\tgpu\t1\t4\t1\t16777216\t-\t2\n")
    return str(folder / "gpu.swf"), str(folder / "gpu.machines")


def test_the_command_with_gpus(tmp_path):
    """`thinktime expectations` expects GPUs where nodes have some, takes them in --capacity, and draws their use."""
    log, machines = gpu_site(tmp_path)
    words = ["expectations", log, "--machines", machines, "--recorded", "--policy", "easy", "--quiet"]
    found = json.loads(stdout_of(*words, "--json"))
    assert found["expected_capacity"]["gpus"] == 2
    with_gpus, without = [], []
    for capacity, into in (("4,16gb,gpus=1", with_gpus), ("4,16gb", without)):
        into.append(
            json.loads(stdout_of(*words, "--json", "--capacity", capacity))["policies"]["easy"]["violated_jobs"]
        )
    assert with_gpus[0] < without[0], "one GPU is expected to take longer than any number of processors"
    assert "and 2 of gpus" in stdout_of(*words, "--out", str(tmp_path / "out"))
    assert main([*words, "--capacity", "4,gpus=0"]) == 2
    assert "each resource must be named once" in refusal_of(*words, "--capacity", "4,16gb,1gb")


def test_recorded_keeps_what_no_node_could_hold(tmp_path):
    """A job that no node could hold did run, so the recorded schedule alone has it, and says so."""
    log, machines = gpu_site(tmp_path)
    words = ["expectations", log, "--machines", machines, "--recorded", "--policy", "easy", "--quiet"]
    found = json.loads(stdout_of(*words, "--json"))["policies"]
    jobs = {name: sum(user["jobs"] for user in each["users"].values()) for name, each in found.items()}
    assert jobs == {"recorded": 10, "easy": 9}
    assert found["recorded"]["held_by_no_node"] == [{"job": 4, "request": "1:ppn=1:gpus=9"}]
    assert "held_by_no_node" not in found["easy"]
    told = " ".join(stdout_of(*words).split())
    assert "1 job dropped: no node has what it asks for" in told
    assert "1 job that no described node could hold did run" in told and "job 4 (1:ppn=1:gpus=9)" in told


def test_wider_than_the_whole_machine(tmp_path):
    """The recorded schedule keeps a job with more processors than all described nodes together."""
    log, machines = gpu_site(tmp_path)
    with open(log, "a") as file:
        file.write("10 1356996200 3 20 50 -1 -1 50 60 -1 1 1 1 1 -1 1 1 1 {7} q 10:ppn=5\n")
    found = json.loads(stdout_of("expectations", log, "--machines", machines, "--json", "--quiet"))["policies"][
        "recorded"
    ]
    assert [each["job"] for each in found["held_by_no_node"]] == [4, 10]


def test_a_replay_says_what_jobs_asked(tmp_path):
    """The nodes of a result know what each job asked of each resource, also of selected rows."""
    log, machines = gpu_site(tmp_path)
    result = tt.replay(tt.read_swf(log, processors=4), "easy", nodes=Nodes.read(machines))
    assert result.nodes.machine == {"processors": 4, "memory": 16 * GB, "gpus": 2}
    assert result.nodes.asked["gpus"].tolist() == [1, 2, 1, 2, 2, 1, 2, 1, 2]
    assert result.nodes.select([1, 2]).asked["gpus"].tolist() == [2, 1]
