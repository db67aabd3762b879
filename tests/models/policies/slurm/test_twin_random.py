"""The brute-force Slurm makes possible schedules of random cases, and those of a real Slurm."""

from collections import Counter
from dataclasses import fields, replace
from functools import cache

import pytest

from tests.models.policies.slurm.case import Case, Job, Options, Outcome, Start, Window, describe
from tests.models.policies.slurm.cases import random_cases, switched_off
from tests.models.policies.slurm.measured import CONFIGURED, Ran, case_of, measured
from tests.models.policies.slurm.twin import Twin, twin


@cache
def schedules() -> list[tuple[Case, Outcome]]:
    return [(case, twin(case)) for case in random_cases("schedules", 250)]


def ran(case: Case, outcome: Outcome) -> list[tuple[Job, Start]]:
    return [(job, start) for job in case.jobs if (start := outcome[job.id]) is not None]


def test_every_job_starts() -> None:
    """All jobs fit into their partitions, so all start, and none before it was submitted."""
    for case, outcome in schedules():
        assert len(ran(case, outcome)) == len(case.jobs), describe(case)
        assert all(start.time >= job.submit for job, start in ran(case, outcome)), describe(case)


def test_jobs_get_what_they_ask_for() -> None:
    """As many whole nodes or CPUs as asked for, in the job's partition."""
    for case, outcome in schedules():
        for job, start in ran(case, outcome):
            assert set(start.nodes) <= case.partition(job)
            if job.nodes:
                assert len(start.nodes) == job.nodes
                assert all(cpus == case.nodes[node] for node, cpus in start.cpus)
            else:
                assert sum(cpus for _, cpus in start.cpus) == job.cpus


def test_no_cpu_has_two_jobs() -> None:
    """Whenever a job starts, what runs on a node is no more than the node's CPUs."""
    for case, outcome in schedules():
        for now in {start.time for _, start in ran(case, outcome)}:
            used: Counter[int] = Counter()
            for job, start in ran(case, outcome):
                if start.time <= now < start.time + job.length:
                    used.update(dict(start.cpus))
            assert all(used[node] <= cpus for node, cpus in enumerate(case.nodes)), describe(case)


def test_no_limit_reaches_into_maintenance() -> None:
    """Neither a job nor the time that it might have run overlaps a window on one of its nodes."""
    for case, outcome in schedules():
        for job, start in ran(case, outcome):
            for window in case.windows:
                apart = start.time + job.limit <= window.start or window.end <= start.time
                assert apart or window.nodes.isdisjoint(start.nodes), describe(case)


def test_the_main_pass_alone_is_first_come_first_served() -> None:
    """Without backfill and windows no job of one partition starts before one that was submitted before it."""
    for case in random_cases("fifo", 60):
        jobs = tuple(replace(job, partition=None) for job in case.jobs)
        outcome = twin(replace(case, jobs=jobs, windows=(), options=replace(case.options, backfill=False)))
        times = [start.time for _, start in sorted(ran(case, outcome), key=lambda pair: (pair[0].submit, pair[0].id))]
        assert times == sorted(times), describe(case)


def test_plans_come_true_if_all_is_exact() -> None:
    """On a single node, if jobs run to their limits and nothing is rounded, all start when their first plans say.

    On several, a job may be planned on other nodes in the next pass, which others then are not.
    """
    exact = Options(groups=0, inclusive_edge=False, whole_nodes=False)
    planned = 0
    for case in random_cases("exact", 100):
        size, wide = sum(case.nodes), max(case.nodes)
        asked = {job.id: job.cpus or min(job.nodes * wide, size) for job in case.jobs}
        jobs = tuple(replace(job, partition=None, run=job.limit, nodes=0, cpus=asked[job.id]) for job in case.jobs)
        options = replace(exact, allocator=case.options.allocator)
        schedule = Twin(replace(case, nodes=(size,), jobs=jobs, windows=(), options=options))
        schedule.run()
        first: dict[int, int] = {}
        for plan in schedule.plans.values():
            first = plan | first
        starts = {job: start and start.time for job, start in schedule.starts.items()}
        assert {job: starts[job] for job in first} == first, describe(schedule.case)
        planned += len(first)
    assert planned > 400


def test_what_is_described_can_be_built_again() -> None:
    """`describe` prints Python source that evaluates to the case."""
    names = {record.__name__: record for record in (Case, Job, Options, Window)}
    assert all(eval(describe(case), dict(names)) == case for case, _ in schedules())


@pytest.mark.parametrize("option", [field.name for field in fields(Options) if field.name != "bf_window_linear"])
def test_every_option_decides_some_schedule(option: str) -> None:
    """In some random case the schedule is another with an option switched off; bf_window_linear needs many jobs."""
    on = ((case, outcome) for case, outcome in schedules() if option in switched_off(case.options))
    assert any(twin(_without(case, option)) != outcome for case, outcome in on)


def _without(case: Case, option: str) -> Case:
    return replace(case, options=replace(case.options, **{option: switched_off(case.options)[option]}))


STEP = 1
"""Seconds from an event to the start that it allows, at most."""
APART = 2
"""Seconds between a start of the twin and the real one, at most, unless more than two late starts add up."""


@pytest.mark.parametrize("run", sorted(CONFIGURED))
def test_nodes_are_those_of_the_real_one(run: str) -> None:
    """Each job is on the same nodes."""
    assert {job: start and start.nodes for job, start in twin(case_of(run)).items()} == {
        job: ran.nodes for job, ran in measured(run).items()
    }


@pytest.mark.parametrize("run", sorted(set(CONFIGURED) - {"t02_builtin"}))
def test_starts_are_those_of_the_real_one(run: str) -> None:
    """Each job starts within two seconds of the real start, and not after it."""
    starts = twin(case_of(run))
    late = {job: ran.start - start.time for job, ran in measured(run).items() if (start := starts[job]) is not None}
    assert len(late) == len(starts)
    assert all(0 <= seconds <= APART for seconds in late.values()), late


@pytest.mark.parametrize("run", sorted(CONFIGURED))
def test_starts_are_a_second_after_their_cause(run: str) -> None:
    """The real job starts at most a second after what lets it start in the twin has happened in the real one."""
    case = case_of(run)
    starts, real = twin(case), measured(run)
    late = {job: ran.start - _cause(case, starts, real, job) for job, ran in real.items()}
    assert all(0 <= seconds <= STEP for seconds in late.values()), late


def _cause(case: Case, starts: Outcome, real: dict[int, Ran], job: int) -> int:
    """When that really happened which the twin starts a job at: a submission, an end, or the end of a window."""
    start = starts[job]
    assert start is not None
    causes = [window.end for window in case.windows if window.end == start.time]
    for other in case.jobs:
        its = starts[other.id]
        if other.submit == start.time:
            causes.append(real[other.id].submit)
        if its is not None and its.time + other.length == start.time:
            causes.append(real[other.id].end)
    return max(causes)
