"""Machines that change, held against themselves: what must not make a difference does not."""

from dataclasses import replace
from itertools import islice

import pytest

from tests.how_many import few_or_many
from tests.models.changes.case import INF, Case, Job, Outage, Window, describe
from tests.models.changes.cases import QUEUES, USERS, random_cases
from tests.models.changes.engine import engine

pytestmark = pytest.mark.parametrize("how_many", few_or_many(25, 150))


def cases(seed: str, count: int, **options: object):
    """Random cases in which jobs take checkpoints as the machine says, with these options."""
    for case in random_cases(f"alike {seed}", count):
        own = replace(case.options, **options)
        yield replace(case, options=own)


def usual(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    """The jobs with the machine's checkpoints."""
    return tuple(replace(job, checkpoint=None, cost=None) for job in jobs)


def assert_same(one: Case, other: Case) -> None:
    """The machine does the same with both."""
    assert engine(one) == engine(other), describe(other)


@pytest.mark.parametrize("more", [1, 3])
def test_a_window_for_ever_is_a_smaller_machine(more, how_many):
    """P + k processors with a window of k for ever are P processors."""
    for case in cases(f"window {more}", how_many):
        small = replace(case, outages=())  # a window has no indices, so outages could hit others
        large = replace(small, machine=case.size + more, windows=(*case.windows, Window(0, INF, more, kind="capacity")))
        assert_same(small, large)


@pytest.mark.parametrize("more", [1, 3])
def test_an_outage_for_ever_is_a_smaller_machine(more, how_many):
    """P + k processors of which the last k are down for ever are P processors."""
    for case in cases(f"outage {more}", how_many):
        windows = tuple(each for each in case.windows if each.end < INF)  # those refuse jobs by what there is undamaged
        small = replace(case, windows=windows)
        gone = Outage(0, INF, frozenset(range(case.size, case.size + more)))
        assert_same(small, replace(small, machine=case.size + more, outages=(*case.outages, gone)))


def test_a_window_for_everybody_is_none(how_many):
    """A window that admits everybody changes no start."""
    for case in cases("everybody", how_many, order="fcfs", preempt=None):
        plain = replace(case, windows=())
        everybody = Window(3, 15, case.size, users=frozenset(USERS), kind="reservation")
        assert_same(plain, replace(plain, windows=(everybody,)))


def test_equal_ranks_preempt_nobody(how_many):
    """EASY in which all ranks are equal is plain EASY."""
    preempting = (case for case in cases("ranks", 4 * how_many) if case.options.preempt is not None)
    for case in islice(preempting, how_many):
        plain = replace(case, options=replace(case.options, preempt=None, ranks=(), victims="youngest", grace=0))
        ranks = tuple((queue or "none", 0) for queue in QUEUES)
        assert_same(plain, replace(case, options=replace(case.options, ranks=ranks)))


def test_checkpoints_beyond_every_job_are_none(how_many):
    """An interval above every job's work is no checkpoints, whoever is interrupted."""
    for case in cases("long intervals", how_many, checkpoint=None, cost=0):
        plain = replace(case, jobs=usual(case.jobs))
        assert_same(plain, replace(plain, options=replace(plain.options, checkpoint=1000, cost=2)))


def test_a_window_announced_after_everything_is_none(how_many):
    """A window that is announced after the last end changes nothing."""
    for case in cases("late", how_many):
        plain = replace(case, windows=tuple(each for each in case.windows if each.end < INF))
        found = engine(plain)
        last = int(max([*found.over.values(), *(each.end for each in plain.windows), 0]))
        late = Window(last + 2, last + 9, case.size, announced=last + 1)
        assert_same(plain, replace(plain, windows=(*plain.windows, late)))
