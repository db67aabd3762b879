"""Machines that change, held against themselves: what must not make a difference does not."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import few_or_many, in_turn
from tests.models.changes.case import INF, Case, Node, Outage, Window, describe
from tests.models.changes.cases import QUEUES, USERS, random_cases
from tests.models.changes.engine import engine
from tests.models.changes.test_papers import RULES, cases
from thinktime.models.policies.ostrich.virtual import VirtualSchedule
from thinktime.workloads.generators import preset

Alike = tuple[Case, Case]
"""Two cases of which the machine makes the same."""


def finite(case: Case) -> tuple[Window, ...]:
    """The windows with an end: others refuse jobs by what there is undamaged."""
    return tuple(each for each in case.windows if each.end < INF)


def whole(case: Case) -> dict[str, Any]:
    """All of the machine, for a window."""
    return {"processors": case.machine} if isinstance(case.machine, int) else {"nodes": tuple(range(case.size))}


def larger(case: Case, **more: Any) -> Case:
    """The same on a machine of two more processors or nodes."""
    machine = case.machine + 2 if isinstance(case.machine, int) else (*case.machine, Node(4, 4), Node(4, 4))
    return replace(case, machine=machine, **more)


def a_window_for_ever(case: Case) -> Alike:
    """P + 2 processors or nodes with a window of two for ever are P."""
    if isinstance(case.machine, int):
        small, gone = replace(case, outages=()), Window(0, INF, 2, kind="capacity")  # outages could hit others
    else:
        small, gone = replace(case, windows=finite(case)), Window(0, INF, nodes=(case.size, case.size + 1))
    return small, larger(small, windows=(*small.windows, gone))


def an_outage_for_ever(case: Case) -> Alike:
    """P + 2 processors or nodes of which the last two are down for ever are P."""
    small = replace(case, windows=finite(case))
    return small, larger(small, outages=(*small.outages, Outage(0, INF, frozenset({case.size, case.size + 1}))))


def a_window_for_all_jobs(case: Case) -> Alike:
    """A window that admits every job is none, in the order of arrival."""
    plain = replace(case, windows=(), options=replace(case.options, order="fcfs", preempt=None))
    window = Window(3, 15, users=frozenset(USERS), kind="reservation", **whole(case))
    return plain, replace(plain, windows=(window,))


def equal_ranks(case: Case) -> Alike:
    """EASY in which all ranks are equal preempts no job."""
    how = case.options.preempt or "requeue"
    equal = replace(case.options, rule="easy", preempt=how, ranks=tuple((queue or "none", 0) for queue in QUEUES))
    plain = replace(equal, preempt=None, ranks=(), victims="youngest", grace=0, exempt=0)
    return replace(case, options=plain), replace(case, options=equal)


def checkpoints_beyond_every_job(case: Case) -> Alike:
    """An interval above every job's work is no checkpoints, whichever job is interrupted."""
    jobs = tuple(replace(job, checkpoint=None, cost=None) for job in case.jobs)
    plain = replace(case, jobs=jobs, options=replace(case.options, checkpoint=None, cost=0))
    return plain, replace(plain, options=replace(plain.options, checkpoint=1000, cost=2))


def a_window_announced_after_everything(case: Case) -> Alike:
    """A window that is announced after the last end is none."""
    plain = replace(case, windows=finite(case))
    return plain, replace(plain, windows=(*plain.windows, Window(9002, 9009, announced=9001, **whole(case))))


SMALLER = a_window_for_ever, an_outage_for_ever
OTHERS = a_window_for_all_jobs, checkpoints_beyond_every_job, a_window_announced_after_everything
named = {"ids": lambda value: getattr(value, "__name__", str(value))}


@pytest.mark.parametrize("how_many", few_or_many(5, 150))
@pytest.mark.parametrize("nodes", [False, True], ids=["pool", "nodes"])
@pytest.mark.parametrize("alike", [*SMALLER, *OTHERS, equal_ranks], **named)
def test_the_machine_makes_the_same(alike: Callable[[Case], Alike], nodes: bool, how_many: int) -> None:
    """Of cases that are alike, on a pool and on nodes."""
    for case in random_cases(alike.__name__, how_many, nodes=nodes):
        one, other = alike(case)
        assert engine(one) == engine(other), describe(other)


@pytest.fixture
def of_one_size(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Lets the virtual machine of campaign policies have so many processors, whatever the machine has."""
    processors: dict[str, int] = {}
    usual = VirtualSchedule.prepare
    monkeypatch.setattr(VirtualSchedule, "prepare", lambda self, users, _: usual(self, users, processors["P"]))
    return processors


def differ(text: str, alike: Callable[[Case], Alike]) -> bool:
    """Whether it does make a difference: a stretch is measured by the whole machine, and windows begin slots."""
    return ("stretch" in text and alike in SMALLER) or ("slack" in text and alike is a_window_for_all_jobs)


PAPERS = [each for each in in_turn(4, RULES, [*SMALLER, *OTHERS]) if not differ(*each.values)]


@pytest.mark.parametrize(("text", "alike"), PAPERS, **named)
def test_the_papers_policies_make_the_same(text: str, alike: Callable[[Case], Alike], of_one_size: Any) -> None:
    """Of cases that are alike, under every policy."""
    for case in cases(f"alike {text}", 2):
        of_one_size["P"] = case.size
        one, other = alike(case)
        assert engine(one, text=text) == engine(other, text=text), describe(other)


@pytest.mark.parametrize("text", in_turn(2, reversed(RULES)))
def test_a_machine_to_which_nothing_happens_is_the_usual_one(text: str) -> None:
    """With empty changes, every start is that of a machine that does not change."""
    log = tt.generate(preset("lublin"), jobs=50, users=6, processors=16, seed=2)
    changed = tt.replay(log, text, 16, changes=tt.Changes())
    assert np.array_equal(tt.replay(log, text, 16)["start"], changed["start"])
