"""Machines of nodes that change, held against pools and against themselves, and what their results say."""

from dataclasses import replace

import numpy as np
import pytest
import simpy

import thinktime as tt
from tests.how_many import few_or_many
from tests.models.changes.case import Case, Node, Options, describe
from tests.models.changes.case import Job as Work
from tests.models.changes.cases import random_cases
from tests.models.changes.engine import engine
from tests.models.changes.twin import twin
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.machine import Machine
from thinktime.models.results.placement import placed
from thinktime.workloads.changes.windows import Window as Closed
from thinktime.workloads.job import Job
from thinktime.workloads.nodes import Nodes


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("how_many", few_or_many(16, 480))
def test_random_cases(how_many, observed):
    """Every start, end, node, loss, state, promise and broken reservation of random cases is the twin's."""
    for case in random_cases("nodes twin", how_many, nodes=True):
        assert engine(case, observed) == twin(case), describe(case)


@pytest.mark.parametrize("how_many", few_or_many(24, 600))
def test_nodes_of_one_processor_are_a_pool(how_many):
    """Without windows and suspensions, nodes of one processor make the schedule of a pool, on the same processors."""
    preempted = 0
    for case in random_cases("alike", how_many):
        if case.options.preempt != "suspend":
            pool = replace(case, windows=())
            found = engine(pool)
            assert found == engine(replace(pool, machine=(Node(1),) * case.size)), describe(pool)
            preempted += sum(run.how == "preempted" for run in found.runs)
    assert preempted > how_many // 30


@pytest.mark.parametrize("how", ["requeue", "cancel", "suspend"])
@pytest.mark.parametrize("machine", [3, (Node(1),) * 3], ids=["pool", "nodes"])
def test_starts_take_nodes_after_the_victims_have_left(machine, how):
    """There is room for job 3; but job 2 leaves for job 4 before both start, and its node is the first that is idle."""
    jobs = [Work(1, 0, 1, 50, 50), Work(2, 1, 1, 50, 50)]
    urgent = [Work(number, 5, 1, 9, 9, queue="urgent") for number in (3, 4)]
    found = engine(Case(machine, (*jobs, *urgent), options=Options(preempt=how, ranks=(("urgent", 1),))))
    assert {run.job: run.indices for run in found.runs if run.job > 2} == {3: (1,), 4: (2,)}


def machine(changes: Changes, policy: object = "easy", nodes: Nodes | None = None) -> tuple[simpy.Environment, Machine]:
    """A machine of three nodes of 4 processors."""
    env = simpy.Environment()
    return env, Machine(env, policy=policy, nodes=nodes or Nodes.uniform(3, 4, memory=8), changes=changes)


def test_users_fail_nodes_by_name_and_add_windows():
    """Nodes can be named where processors have numbers; who fails them is told what they hit."""
    env, opened = machine(Changes())
    job = opened.submit(Job(runtime=100, nodes="1:ppn=4"))
    env.run(until=10)
    opened.fail(["node1"], until=60)
    opened.add_window(Closed(50, 80, ["node2"]))
    env.run()
    # Node 2 is free, but would be in the window before the job is over.
    assert [(start, end, how) for start, end, how in job.value.runs] == [(0, 10, "failed"), (10, 110, "finished")]
    result = opened.result()
    assert result.runs.indices.tolist() == ["0", "2"]


@pytest.mark.parametrize("wrong", [["node9"], [3], [-1], "node1", [1.5]])
def test_what_is_not_there_cannot_fail(wrong):
    """One sentence says what is wrong."""
    _, opened = machine(Changes())
    with pytest.raises((ValueError, TypeError), match=r"node|what fails|index"):
        opened.fail(wrong, until=10)


def test_a_proposal_that_reaches_into_a_window_names_its_nodes():
    """A policy of one's own is told which window its proposal reaches into."""
    env, opened = machine(Changes(windows=[Closed(50, 60, ["node1", "node2", "node3"])]), lambda view, now: view.queue)
    opened.submit(Job(runtime=80, nodes="1:ppn=4"))
    with pytest.raises(tt.PolicyError, match="a window of node1 node2 node3 from 50 to 60 s does not leave it room"):
        env.run()


def test_what_policies_see_of_nodes():
    """Fits and earliest starts are beside windows and running jobs, and asking moves no job."""
    seen = {}

    def policy(view, now):
        if now == 0 and view.queue:
            job = view.queue[0]
            seen["fits"] = [view.fits(job, at) for at in (0, 10, 20, 60)]
            seen["earliest"] = view.earliest(job)
            seen["up"], seen["free"] = view.up, view.free
        return []

    window = Closed(30, 60, ["node1", "node2"], announced=0)
    outages = tt.Outages.of([(0, 100, [2])])
    env, opened = machine(Changes(windows=[window], outages=outages), policy)
    opened.submit(Job(runtime=15, nodes="2:ppn=4"))
    env.run(until=1)
    assert seen == {"fits": [True, True, False, True], "earliest": 0.0, "up": 8, "free": 8}


def test_processors_of_nodes_in_accounts():
    """What is down, or set aside, counts with the processors of its nodes."""
    window = Closed(10, 20, ["node1", "node2"])
    env, opened = machine(Changes(windows=[window], outages=tt.Outages.of([(30, 40, [2])])))
    opened.submit(Job(runtime=5, nodes="1:ppn=4"))
    opened.submit(Job(runtime=100, nodes="1:ppn=1"))
    env.run()
    history = opened.result().history
    assert history.down(50.0).integral([0.0, 50.0])[1] == 40
    assert history.set_aside(50.0).integral([0.0, 50.0])[1] == 80


def test_jobs_are_drawn_on_the_processors_of_their_nodes():
    """In pictures, every run has its processors within the bands of its nodes, and no two overlap."""
    log = tt.generate(tt.workloads.generators.preset("lublin"), jobs=200, users=6, processors=32, seed=4)
    changes = Changes(failures=tt.Failures(mtbf="2d", mttr="6h"), windows=[Closed(tt.DAY, 2 * tt.DAY, ["node3"])])
    result = tt.replay(log, "easy", nodes=Nodes.uniform(8, 4), changes=changes)
    spans, blocks = placed(result)
    assert (result.runs.how != "finished").any()
    height = np.bincount(blocks.row, blocks.height, len(spans.row))
    shown = spans.end > spans.begin
    assert (height[shown] == result["processors"][spans.row][shown]).all()
    begin, end = spans.begin[blocks.row], spans.end[blocks.row]
    for low in range(32):
        here = np.flatnonzero((blocks.low <= low) & (low < blocks.low + blocks.height))
        order = here[np.argsort(begin[here])]
        assert (end[order][:-1] <= begin[order][1:]).all()
