"""The twin on nodes: cases worked out by hand from section 11 of the contract, invariants, and the pool as a limit."""

from dataclasses import replace
from typing import Any

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import Case, Job, Node, Options, Outage, Window, describe
from tests.models.changes.cases import invalid, random_cases
from tests.models.changes.invariants import check
from tests.models.changes.twin import twin

TWO = (Node(2, 4), Node(2, 4))
URGENT: dict[str, Any] = {"preempt": "suspend", "ranks": (("urgent", 1),)}


def _runs(case: Case) -> list[tuple[int, int, float, tuple[int, ...]]]:
    """(job, start, end, nodes) of all runs."""
    assert invalid(case) is None
    return [(run.job, run.start, run.end, run.indices) for run in twin(case).runs]


def test_all_jobs_on_the_nodes_of_a_window_leave() -> None:
    """When a window begins, every job on its nodes that it does not admit leaves, and no job elsewhere."""
    jobs = (Job(1, 0, 1, 20, 20), Job(2, 0, 1, 20, 20, user="ann"), Job(3, 0, 2, 20, 20))
    window = Window(5, 10, nodes=(0,), announced=3, users=frozenset({"ann"}))
    assert _runs(Case((Node(3), Node(1)), jobs, (window,))) == [
        (1, 0, 5, (0,)), (1, 5, 25, (1,)), (2, 0, 20, (0,)), (3, 0, 5, (0, 1)), (3, 25, 45, (0, 1)),
    ]  # fmt: skip


def test_a_job_with_a_piece_on_a_failing_node_is_interrupted() -> None:
    """A job with any piece on a failing node is interrupted, and goes on elsewhere."""
    jobs = (Job(1, 0, 2, 20, 20), Job(2, 0, 1, 20, 20))
    outage = Outage(5, 50, frozenset({1}))
    assert _runs(Case((Node(2), Node(1), Node(1)), jobs, outages=(outage,))) == [
        (1, 0, 5, (0, 1)),
        (1, 5, 25, (0, 2)),
        (2, 0, 20, (0,)),
    ]


def test_a_suspended_job_resumes_on_its_nodes() -> None:
    """A suspended job waits for its own node, although another one is idle."""
    jobs = (Job(1, 0, 1, 20, 20, cores=2), Job(2, 0, 1, 8, 8, cores=2), Job(3, 5, 1, 10, 10, queue="urgent", cores=2))
    assert _runs(Case(TWO, jobs, options=Options(**URGENT))) == [
        (1, 0, 20, (0,)), (2, 0, 5, (1,)), (2, 15, 18, (1,)), (3, 5, 15, (1,)),
    ]  # fmt: skip
    assert (2, 15, 18, (1,)) in _runs(Case(TWO, (replace(jobs[0], run=7), *jobs[1:]), options=Options(**URGENT)))


def test_a_suspended_job_whose_node_fails_goes_on_elsewhere() -> None:
    """The failure of its node frees a suspended job from it; the work that it had done is kept."""
    jobs = (Job(1, 0, 2, 7, 7, cores=2), Job(2, 0, 1, 8, 8, cores=2), Job(3, 5, 1, 10, 10, queue="urgent", cores=2))
    outage = Outage(9, 10, frozenset({2}))
    assert _runs(Case((*TWO, Node(2)), jobs, outages=(outage,), options=Options(**URGENT))) == [
        (1, 0, 7, (0, 1)), (2, 0, 5, (2,)), (2, 9, 12, (1,)), (3, 5, 9, (2,)), (3, 9, 19, (0,)),
    ]  # fmt: skip


@pytest.mark.parametrize(("memory", "start"), [(3, 15), (2, 5)])
def test_a_suspended_job_keeps_its_memory(memory: int, start: int) -> None:
    """A job that needs the memory of a suspended one waits until that one is over; the processors are free for it."""
    jobs = (
        Job(1, 0, 1, 10, 10, cores=2, memory=2),
        Job(2, 5, 1, 5, 5, queue="urgent", cores=1),
        Job(3, 5, 1, 2, 2, queue="urgent", cores=1, memory=memory),
    )
    runs = _runs(Case((Node(2, 4),), jobs, options=Options(**URGENT)))
    assert [run[1] for run in runs if run[0] == 3] == [start]


def test_a_suspended_job_may_keep_its_processors() -> None:
    """Under `suspended_holds=all`, what the preempting job leaves idle is for no other job (Slurm)."""
    jobs = (Job(1, 0, 1, 10, 10, cores=2), Job(2, 5, 1, 5, 5, queue="urgent", cores=1), Job(3, 6, 1, 2, 2, cores=1))
    for machine in ((Node(2),), 2):
        case = Case(machine, jobs, options=Options(**URGENT))
        if machine == 2:
            case = replace(case, jobs=tuple(replace(job, width=job.cores, cores=1) for job in jobs))
        starts = {run.job: run.start for run in twin(case).runs}
        assert starts == {1: 10, 2: 5, 3: 6}
        kept = replace(case, options=replace(case.options, suspended_holds="all"))
        assert {run.job: run.start for run in twin(kept).runs} == {1: 10, 2: 5, 3: 15}


@pytest.mark.parametrize("how_many", few_or_many(80, 300))
def test_every_schedule_on_nodes_keeps_the_invariants(how_many: int) -> None:
    """No node is over-committed, in memory neither, and windows and failures are those of the nodes."""
    for case in random_cases(11, how_many, nodes=True):
        try:
            check(case, twin(case))
        except AssertionError as error:
            raise AssertionError(f"{error}\n{describe(case)}") from None


def test_nodes_of_one_core_are_a_pool() -> None:
    """On nodes of one core, rules that hold no nodes make the schedule of a pool, on the same processors."""
    for case in random_cases(12, 400):
        o = case.options
        if o.rule in ("none", "no-guarantee", "easy") and o.n == 1 and not o.preempt:
            assert isinstance(case.machine, int)
            pool = replace(case, windows=())
            assert twin(pool) == twin(replace(pool, machine=(Node(1),) * case.machine)), describe(pool)
