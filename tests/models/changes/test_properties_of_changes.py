"""What holds for every schedule of the twin: invariants, and relations between schedules of related cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import INF, Case, Outage, Window, describe
from tests.models.changes.cases import USERS, invalid, random_cases
from tests.models.changes.invariants import check
from tests.models.changes.twin import twin

part_of_cases = pytest.mark.parametrize("part", few_or_many(4, 1))
"""One in so many cases."""


def _same(one: Case, other: Case) -> None:
    assert invalid(other) is None
    assert twin(one) == twin(other), describe(one)


def _pools(seed: int, count: int) -> Iterator[tuple[Case, int]]:
    for case in random_cases(seed, count):
        assert isinstance(case.machine, int)
        yield case, case.machine


@part_of_cases
def test_every_schedule_keeps_the_invariants(part: int) -> None:
    """Nothing is used that is down, held or in use; every second of a run is progress, overhead or lost."""
    for case in random_cases(1, 1000 // part):
        _keeps_the_invariants(case)


@part_of_cases
def test_every_rule_that_preempts_keeps_the_invariants(part: int) -> None:
    """So do the other rules that keep nothing between passes, if they preempt as EASY does."""
    for case in random_cases(13, 300 // part, preempting=("none", "no-guarantee", "easy", "conservative-dynamic")):
        _keeps_the_invariants(case)


def _keeps_the_invariants(case: Case) -> None:
    try:
        check(case, twin(case))
    except AssertionError as error:
        raise AssertionError(f"{error}\n{describe(case)}") from None


def test_the_same_seed_gives_the_same_cases() -> None:
    """Cases depend on the seed and their number alone."""
    assert list(random_cases(2, 5)) == list(random_cases(2, 8))[:5]
    assert list(random_cases(2, 5)) != list(random_cases(3, 5))


@part_of_cases
def test_an_endless_window_takes_processors_away(part: int) -> None:
    """P + k processors with a window of k for ever, for nobody, make the schedule of P."""
    for case, size in _pools(4, 300 // part):
        window = Window(0, INF, 3, kind="capacity")
        _same(case, replace(case, machine=size + 3, windows=(*case.windows, window)))


@part_of_cases
def test_an_endless_outage_takes_processors_away(part: int) -> None:
    """P + k processors of which the last k are down for ever make the schedule of P.

    Not where a window has no end: there a job is refused if it fits no machine that has nothing down.
    """
    for case, size in _pools(5, 400 // part):
        if all(window.end < INF for window in case.windows):
            outage = Outage(0, INF, frozenset({size, size + 1}))
            _same(case, replace(case, machine=size + 2, outages=(*case.outages, outage)))


@part_of_cases
def test_a_window_for_everybody_changes_nothing(part: int) -> None:
    """In arrival order, a window that admits everybody changes no start.

    It opens instants of its own, so this is said of rules that do nothing new at an instant without news. And its jobs
    are exempt from preemption.
    """
    for case, size in _pools(6, 600 // part):
        options = replace(case.options, order="fcfs", overrun="kill", preempt=None, ranks=(), grace=0, exempt=0)
        if options.compress != "event":
            case = replace(case, windows=(), options=options)
            window = Window(6, 14, size, users=frozenset(USERS), announced=4)
            _same(case, replace(case, windows=(window,)))


@part_of_cases
def test_equal_ranks_preempt_nobody(part: int) -> None:
    """With equal ranks, EASY that preempts is plain EASY, and so with the other rules that can preempt."""
    for case, _ in _pools(7, 400 // part):
        if case.options.rule != "conservative":
            ranks = tuple((queue, 1) for queue in ("", "normal", "urgent"))
            plain = replace(case.options, preempt=None, ranks=(), grace=0, exempt=0)
            preempting = replace(plain, preempt="requeue", ranks=ranks)
            _same(replace(case, options=plain), replace(case, options=preempting))


@part_of_cases
def test_checkpoints_beyond_every_job_are_none(part: int) -> None:
    """An interval between checkpoints that is longer than every job is no checkpoints."""
    for case, _ in _pools(8, 300 // part):
        jobs = tuple(replace(job, checkpoint=None, cost=None) for job in case.jobs)
        none = replace(case, jobs=jobs, options=replace(case.options, checkpoint=None, cost=0))
        _same(none, replace(none, options=replace(none.options, checkpoint=1000, cost=2)))


@part_of_cases
def test_a_window_announced_after_everything_is_none(part: int) -> None:
    """A window that is announced after the last end changes nothing, nor does an outage that begins then."""
    for case, _ in _pools(9, 300 // part):
        outcome = twin(case)
        if len(outcome.over) == len(case.jobs):
            last = max(outcome.over.values())
            late = replace(case, outages=(*case.outages, Outage(last + 1, last + 9, frozenset({0}))))
            room = [w for w in case.windows if w.end > last + 1]
            if not room:
                late = replace(late, windows=(*case.windows, Window(last + 2, INF, 1, announced=last + 1)))
            _same(case, late)


@part_of_cases
def test_a_checkpoint_a_second_loses_nothing(part: int) -> None:
    """With a checkpoint at no cost after every second of work, no work is lost."""
    for case, _ in _pools(10, 300 // part):
        jobs = tuple(replace(job, checkpoint=None, cost=None) for job in case.jobs)
        case = replace(case, jobs=jobs, options=replace(case.options, checkpoint=1, cost=0))
        assert all(run.lost == 0 for run in twin(case).runs), describe(case)
