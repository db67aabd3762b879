"""The policy `slurm`, against the twin, a real Slurm, and the rules that it is without its habits."""

from dataclasses import replace
from itertools import combinations

import pytest

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.engine.schedules import PROCESSORS, workload
from tests.models.policies.slurm.case import Case, Job, Options, describe
from tests.models.policies.slurm.cases import partitioned_cases, random_cases
from tests.models.policies.slurm.engine import engine
from tests.models.policies.slurm.measured import CONFIGURED, COUNTED, case_of, measured
from tests.models.policies.slurm.twin import twin
from thinktime.workloads.nodes import Nodes

PLAIN = (
    "slurm:bf_interval=0,groups=0,whole_nodes=no,inclusive_edge=no,bf_resolution=0,bf_window=0,bf_max_job_test=0,"
    "default_queue_depth=0"
)
"""Without limits and habits, it is conservative backfilling without memory."""
PLACES = ("id", "submit", "start", "end")


def possible(case: Case) -> bool:
    """Whether no node is in two windows at one time, which a machine refuses."""
    return not any(a.nodes & b.nodes and a.start < b.end and b.start < a.end for a, b in combinations(case.windows, 2))


def found(case: Case) -> dict[int, object]:
    """What the twin says."""
    return {job: start and (start.time, start.nodes) for job, start in twin(case).items()}


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("how_many", few_or_many(16, 120))
def test_random_cases(how_many, observed):
    """Every start and all nodes are the twin's, with windows, partitions, shared nodes and all options."""
    for case in filter(possible, random_cases("slurm", how_many)):
        assert engine(case, observed) == found(case), describe(case)


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("how_many", few_or_many(20, 60))
def test_partitions_of_a_site(observed, how_many):
    """The same where jobs name a partition of the machine's site."""
    for case in filter(possible, random_cases("site", how_many)):
        assert engine(case, observed, as_site=True) == found(case), describe(case)


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("how_many", few_or_many(12, 60))
def test_jobs_in_several_partitions(observed, how_many):
    """The same where partitions have tiers, some are on the same nodes, jobs name several, and some wait for a time."""
    for case in filter(possible, partitioned_cases("parts", how_many)):
        assert engine(case, observed) == found(case), describe(case)


@pytest.mark.parametrize("run", sorted(CONFIGURED))
def test_a_real_slurm(run):
    """Nodes are those of a real Slurm, and starts within 2 s, or a second for each end that it waited for."""
    ours, real = engine(case_of(run)), measured(run)
    assert {job: start[1] for job, start in ours.items()} == {job: ran.nodes for job, ran in real.items()}
    most = 3 if run == "t02_builtin" else 2
    assert all(0 <= ran.start - ours[job][0] <= most for job, ran in real.items())


NUMBERS = {
    "assoc1": "bf_max_job_assoc", "part1": "bf_max_job_part", "user_part1": "bf_max_job_user_part",
    "start1": "bf_max_job_start", "partition_depth1": "partition_job_depth", "queue_depth2": "default_queue_depth",
}  # fmt: skip
"""What decides each of these runs."""


@pytest.mark.parametrize("run", sorted(COUNTED))
def test_a_real_slurm_that_looks_at_few_jobs(run):
    """Numbers of jobs that passes look at, or start, cut where those of a real Slurm do: starts are within 2 s."""
    case = case_of(run)
    ours, real = engine(case), measured(run)
    assert all(abs(ran.start - ours[job][0]) <= 2 for job, ran in real.items()), (ours, real)
    without = engine(replace(case, options=replace(case.options, **{NUMBERS[run]: 0})))
    assert any(abs(ran.start - without[job][0]) > 2 for job, ran in real.items())


@pytest.mark.parametrize("linear, start", [(0, 130), (200, 3)])
def test_groups_may_grow_by_seconds(linear, start):
    """If the ends at 125 and 200 are one group, W is planned at 200, and a job of 150 s passes it."""
    running = [Job(number, 0, limit, limit, nodes=1) for number, limit in enumerate((60, 125, 200), 1)]
    jobs = (*running, Job(4, 2, 90, 5, nodes=3), Job(5, 3, 150, 150, nodes=1))
    case = Case((1, 1, 1, 1), jobs, options=Options(bf_window_linear=linear))
    assert engine(case) == found(case)
    assert engine(case)[5][0] == start


def same(one: str, other: str, **machine: object) -> None:
    """Two policies make one schedule."""
    log = workload().select(workload().processors <= PROCESSORS)
    first, second = (tt.replay(log, policy, **machine) for policy in (one, other))
    for name in PLACES:
        assert first[name].tolist() == second[name].tolist(), (one, other, name)


@pytest.mark.parametrize(
    ("order", "overrun"),
    in_turn(2, ["fcfs", "sjf", "lxf", "fairshare,half_life=30s"], ["kill", "extend", "until_needed"]),
)
def test_without_its_habits_it_is_conservative_dynamic(order, overrun):
    """On processors and on nodes, under every order and rule of overruns."""
    for machine in ({"processors": PROCESSORS}, {"nodes": Nodes.uniform(PROCESSORS, 1)}):
        same(f"{PLAIN},order={order}", f"conservative-dynamic:order={order}", overrun=overrun, **machine)


@pytest.mark.parametrize("reservations", [1, 2])
def test_with_few_reservations_it_is_easy(reservations):
    """The first jobs that do not fit get reservations, and no others."""
    same(
        f"{PLAIN},bf_job_part_count_reserve={reservations}", f"easy:reservations={reservations}", processors=PROCESSORS
    )


def test_without_backfill_it_is_strict():
    """The main pass alone starts heads."""
    same("slurm:backfill=no,default_queue_depth=0", "none", processors=PROCESSORS)


def test_backfill_is_at_multiples():
    """A job that passes another does so at a multiple of the interval; heads start at once."""
    log = workload().select(workload().processors <= PROCESSORS)
    result = tt.replay(log, f"{PLAIN},bf_interval=7s,origin=3s".replace("bf_interval=0,", ""), PROCESSORS)
    start = result["start"]
    passed = [s for i, s in enumerate(start.tolist()) if (start[:i] > s).any()]
    assert passed
    assert all((s - 3) % 7 == 0 for s in passed)
    assert any((s - 3) % 7 for s in start.tolist())


def test_it_says_what_differs_from_slurms_defaults():
    """Its text has the options that are not Slurm's own, and makes the same policy."""
    text = "slurm:order=fcfs,whole_nodes=no,bf_max_job_test=50,bf_interval=0,groups=1min"
    policy = tt.models.policies.from_spec(text)
    again = tt.models.policies.from_spec(str(policy))
    assert str(policy) == str(again)
    assert policy.options() == {
        "order": "fcfs", "whole_nodes": "no", "bf_max_job_test": 50, "bf_interval": "0", "groups": "1min",
    }  # fmt: skip
