"""Slurm's preemption, run by run, against a brute-force scheduler, and by what may be at all."""

from collections import Counter
from functools import cache

from tests.models.policies.slurm.case import describe
from tests.models.preemption.case import Preempting, Runs
from tests.models.preemption.cases import random_cases
from tests.models.preemption.engine import engine
from tests.models.preemption.twin import Twin

MODES = ("cancel", "requeue", "suspend")


@cache
def cases() -> list[Preempting]:
    """Cases of all modes together, and of each alone."""
    alone = [each for mode in MODES for each in random_cases(mode, 10, (mode,))]
    return [*random_cases("suite", 20), *alone]


@cache
def played(number: int) -> Runs:
    """The runs of a case by leaps."""
    return engine(cases()[number])


def test_every_run_is_the_twins() -> None:
    """By leaps, every run begins and ends when and where the twin's does, and in the same way."""
    modes: Counter[str] = Counter()
    for number, case in enumerate(cases()):
        twin = Twin(case)
        assert played(number) == twin.run(), describe(case)
        modes += twin.preempted
    assert min(modes[mode] for mode in MODES) >= 5


def test_it_is_the_same_step_by_step() -> None:
    """An observer, who makes the machine go instant by instant, changes nothing."""
    for number in range(0, len(cases()), 4):
        assert engine(cases()[number], observed=True) == played(number), describe(cases()[number])


def test_victims_are_allowed() -> None:
    """A job that leaves has run for its exempt time, and without graces one starts there that may preempt it."""
    for number, case in enumerate(cases()):
        jobs = {job.id: job for job in case.jobs}
        runs = [(jobs[name], *run) for name, its in played(number).items() for run in its]
        for victim, start, end, how, nodes in runs:
            if how != "preempted":
                continue
            kind = case.kinds[victim.kind]
            assert end - start >= kind.exempt
            preemptors = [each for each in runs if case.may(each[0].kind, victim.kind) and each[0].submit <= end]
            assert preemptors
            if not any(each.grace for each in case.kinds):
                assert any(each[1] == end and set(each[4]) & set(nodes) for each in preemptors), describe(case)


def test_cancelled_jobs_are_over_and_others_do_all_their_work() -> None:
    """A cancelled job runs once; requeued ones start from zero; the runs of a suspended one add up."""
    for number, case in enumerate(cases()):
        for job in case.jobs:
            runs, mode = played(number)[job.id], case.kinds[job.kind].mode
            lengths = [end - start for start, end, _, _ in runs]
            if mode in ("off", "cancel"):
                assert len(runs) == 1
            elif mode == "requeue":
                assert lengths[-1] == job.length
                assert all(run[2] == "preempted" for run in runs[:-1])
            else:
                assert sum(lengths) == job.length
