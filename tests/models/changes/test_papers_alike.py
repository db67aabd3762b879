"""The papers' policies on machines that change, held against themselves: what must not make a difference does not."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import thinktime as tt
from tests.how_many import in_turn
from tests.models.changes.case import INF, Case, Outage, Window, describe
from tests.models.changes.cases import USERS
from tests.models.changes.engine import engine
from tests.models.changes.test_papers import RULES, cases
from thinktime.models.policies.ostrich.virtual import VirtualSchedule
from thinktime.workloads.generators import preset

FINITE = [text for text in RULES if "stretch" not in text]  # a stretch is measured by the whole machine


@pytest.fixture
def of_one_size(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Lets the virtual machine of campaign policies have so many processors, whatever the machine has."""
    processors: dict[str, int] = {}
    usual = VirtualSchedule.prepare
    monkeypatch.setattr(VirtualSchedule, "prepare", lambda self, users, _: usual(self, users, processors["P"]))
    return processors


def few(seed: str, count: int = 2) -> Iterator[Case]:
    """Some random cases."""
    yield from cases(f"alike {seed}", count)


@pytest.mark.parametrize("text", in_turn(2, FINITE))
def test_what_is_not_there_for_ever_is_a_smaller_machine(text: str, of_one_size: dict[str, int]) -> None:
    """P + 2 processors with an endless window of 2, or of which the last 2 are down for ever, are P processors."""
    for case in few(text):
        of_one_size["P"] = case.size
        small = replace(case, outages=())  # a window has no indices, so outages could hit others
        held = (*case.windows, Window(0, INF, 2, kind="capacity"))
        assert engine(small, text=text) == engine(replace(small, machine=case.size + 2, windows=held), text=text)
        small = replace(case, windows=tuple(each for each in case.windows if each.end < INF))
        gone = (*case.outages, Outage(0, INF, frozenset({case.size, case.size + 1})))
        large = replace(small, machine=case.size + 2, outages=gone)
        assert engine(small, text=text) == engine(large, text=text), describe(large)


@pytest.mark.parametrize("text", in_turn(2, RULES))
def test_a_window_announced_after_everything_is_none(text: str) -> None:
    """A window that is announced after the last end changes nothing."""
    for case in few(text):
        plain = replace(case, windows=tuple(each for each in case.windows if each.end < INF))
        found = engine(plain, text=text)
        last = int(max([*found.over.values(), *(each.end for each in plain.windows), 0])) + 1
        late = Window(last + 2, last + 9, case.size, announced=last + 1)
        assert engine(replace(plain, windows=(*plain.windows, late)), text=text) == found, describe(plain)


NO_SLOTS = [text for text in RULES if "slack" not in text]  # where windows begin, slots do


@pytest.mark.parametrize("text", in_turn(2, reversed(NO_SLOTS)))
def test_a_window_for_everybody_is_none(text: str) -> None:
    """A window that admits everybody changes no start."""
    for case in few(text):
        plain = replace(case, windows=())
        everybody = Window(3, 15, case.size, users=frozenset(USERS), kind="reservation")
        assert engine(plain, text=text) == engine(replace(plain, windows=(everybody,)), text=text), describe(plain)


@pytest.mark.parametrize("text", in_turn(2, reversed(RULES)))
def test_checkpoints_beyond_every_job_are_none(text: str) -> None:
    """An interval above every job's work is no checkpoints, whoever is interrupted."""
    for case in few(text):
        jobs = tuple(replace(job, checkpoint=None, cost=None) for job in case.jobs)
        plain = replace(case, jobs=jobs, options=replace(case.options, checkpoint=None, cost=0))
        long = replace(plain, options=replace(plain.options, checkpoint=1000, cost=2))
        assert engine(plain, text=text) == engine(long, text=text), describe(plain)


@pytest.mark.parametrize("text", in_turn(2, reversed(RULES)))
def test_a_machine_to_which_nothing_happens_is_the_usual_one(text: str) -> None:
    """With empty changes, every start is that of a machine that does not change."""
    log = tt.generate(preset("lublin"), jobs=50, users=6, processors=16, seed=2)
    changed = tt.replay(log, text, 16, changes=tt.Changes())
    assert np.array_equal(tt.replay(log, text, 16)["start"], changed["start"])
