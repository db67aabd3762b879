"""The brute-force twin of jobs that change their sizes makes the schedules found by hand, and possible ones."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.models.shapes.cases import BASES, BY_HAND, SHRINK, Case, Solved, Speedup, random_cases
from tests.models.shapes.twin import Options, Twin, play
from tests.models.shapes.twin_jobs import Job
from tests.models.twin.reference import simulate
from tests.models.twin.reference_rules import ORDERS, RefJob


@pytest.fixture(scope="module", params=[9, pytest.param(200, marks=pytest.mark.thorough)])
def cases(request: pytest.FixtureRequest) -> list[Case]:
    """Random cases."""
    return list(random_cases("the twin itself", request.param))


@pytest.fixture(scope="module")
def played(cases: list[Case]) -> list[tuple[Case, Twin]]:
    """All cases once."""
    pairs = [(case, Twin(case.room, list(case.jobs), case.options)) for case in cases]
    for _, twin in pairs:
        twin.run()
    return pairs


@pytest.mark.parametrize("solved", BY_HAND.values(), ids=BY_HAND)
def test_cases_by_hand(solved: Solved) -> None:
    """Stage by stage."""
    twin = Twin(solved.case.room, list(solved.case.jobs), solved.case.options)
    twin.run()
    assert twin.stages == solved.stages
    assert solved.on is None or twin.was_on == solved.on
    assert set(twin.how.values()) == {"finished"}


def test_no_more_is_held_than_there_is(played: list[tuple[Case, Twin]]) -> None:
    """At the beginning of each stage; stages follow each other without gaps, each of an allowed size."""
    for case, twin in played:
        stages = [stage for each in twin.stages.values() for stage in each]
        for time in {stage[0] for stage in stages}:
            held = sum(size for begin, end, size in stages if begin <= time < end)
            assert held <= case.processors, case.describe()
        for job in case.jobs:
            mine = twin.stages[job.id]
            assert all(size in job.sizes for _, _, size in mine)
            assert all(one[1] == other[0] for one, other in pairwise(mine))
            assert mine[0][0] >= job.submit
            assert job.kind == "malleable" or len(mine) == 1


def seconds_at_work(twin: Twin, job: Job) -> Iterator[tuple[Fraction, int]]:
    """How long it was at work in each stage: the stage without the pauses of resizes."""
    pauses = []
    for number, decided, before, after in twin.resizes:
        if number == job.id:
            begin = decided if after > before else decided + job.notice
            pauses.append((begin, begin + job.cost))
    for begin, end, size in twin.stages[job.id]:
        still = sum(max(Fraction(0), min(end, until) - max(begin, since)) for since, until in pauses)
        yield end - begin - still, size


def test_work_adds_up(played: list[tuple[Case, Twin]]) -> None:
    """Who finished has done its work, who was killed has used up its limit, but for half a step of the grid."""
    killed = 0
    for case, twin in played:
        for job in case.jobs:
            at_work = list(seconds_at_work(twin, job))
            done = sum(seconds * job.rate[size] for seconds, size in at_work)
            used = sum(seconds * job.believed[size] for seconds, size in at_work)
            step = max(*job.rate.values(), *job.believed.values()) / 2048
            if twin.how[job.id] == "finished":
                assert abs(done - job.work) <= step, case.describe()
                assert used <= job.limit + step, case.describe()
            else:
                assert abs(used - job.limit) <= step, case.describe()
                assert done < job.work, case.describe()
                killed += 1
    assert killed > 0


def of_any_size(case: Case, jobs: Sequence[Job], **pauses: Fraction) -> list[Job]:
    """The jobs malleable, from one processor to all, with linear speed-up."""
    sizes = tuple(range(1, case.processors + 1))
    rate = Speedup("linear").rates(sizes, 4)
    return [replace(job, sizes=sizes, kind="malleable", rate=rate, believed=rate, **pauses) for job in jobs]


def test_resizes_keep_their_distance(cases: list[Case]) -> None:
    """From the end of one with its pause to the next, and not within the gap."""
    apart = []
    for case in cases:
        cost, notice, gap = Fraction(len(apart) % 3 * 4 + 1, 4), Fraction(1, 2), Fraction(len(apart) % 4)
        jobs = of_any_size(case, case.jobs, cost=cost, notice=notice, gap=gap)
        twin = Twin(case.room, jobs, Options("none", share="equal"))
        twin.run()
        for job in jobs:
            for one, other in pairwise(each for each in twin.resizes if each[0] == job.id):
                over = cost + (notice if one[3] < one[2] else 0)
                apart.append(other[1] - one[1] - max(over, gap))
    assert min(apart) >= 0
    assert len(apart) > len(cases)


@pytest.mark.parametrize("order", SHRINK)
def test_reservations_are_kept(cases: list[Case], order: str) -> None:
    """Under conservative, nobody starts after the reservation that it was given first, whoever is resized."""
    resizes = 0
    for case in cases:
        jobs = of_any_size(case, case.jobs[::2]) + list(case.jobs[1::2])
        twin = Twin(case.room, jobs, Options("conservative", "max", "best", order))
        twin.run()
        resizes += len(twin.resizes)
        for number, stages in twin.stages.items():
            assert not stages or stages[0][0] <= twin.promised[number]
    assert resizes > len(cases)


def as_rigid(job: Job) -> Job:
    """The job with its preferred size alone, on which a second of work takes a second."""
    rate = {job.preferred: Fraction(1)}
    return replace(job, sizes=(job.preferred,), kind="rigid", rate=rate, believed=rate)


def test_a_job_of_one_size_is_rigid(cases: list[Case]) -> None:
    """Whatever it is called and whatever its resizes would cost."""
    for case in cases:
        rigid = [as_rigid(job) for job in case.jobs]
        other = [replace(job, kind="malleable") for job in rigid]
        assert play(case.room, rigid, case.options) == play(case.room, other, case.options)


@pytest.mark.parametrize("base", BASES)
def test_rigid_jobs_start_as_under_the_base_rule(cases: list[Case], base: str) -> None:
    """As the twin of the classic rules has it, which shares no code with this one."""
    for case in cases:
        jobs = [as_rigid(job) for job in case.jobs]
        options = Options(base, expand="oldest", shrink="latest")
        stages, how = play(case.room, jobs, options)
        same = [RefJob(job.id, job.submit, job.preferred, job.work, job.limit) for job in jobs]
        expected, _ = simulate(same, case.processors, rule=base, order=ORDERS["fcfs"])
        for number, outcome in expected.items():
            assert (stages[number][0][0], stages[number][-1][1]) == (outcome.start, outcome.end)
            assert how[number] == outcome.state


@pytest.mark.parametrize("base", BASES)
def test_who_gains_nothing_is_not_expanded(cases: list[Case], base: str) -> None:
    """With constant speed-ups and as many processors as preferred, it is the schedule of rigid jobs."""
    for case in cases:
        still = [replace(job, **dict.fromkeys(("rate", "believed"), _constant(job))) for job in case.jobs]
        rigid = [as_rigid(job) for job in case.jobs]
        expanding = play(case.room, still, Options(base, expand="best"))
        assert expanding == play(case.room, rigid, Options(base))


def _constant(job: Job) -> dict[int, Fraction]:
    return Speedup("constant").rates(job.sizes, job.preferred)
