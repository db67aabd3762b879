"""The diagnosis of worlds whose users are known, and the self-test of feedback."""

import numpy as np
import pytest

from tests.analysis.diagnosis import worlds
from tests.workloads.user_models.logs import log
from thinktime.analysis.diagnosis import nulls
from thinktime.analysis.diagnosis import self_test as tested
from thinktime.analysis.diagnosis.diagnose import diagnose
from thinktime.analysis.diagnosis.measured import measure
from thinktime.analysis.diagnosis.self_test import SelfTest, self_test
from thinktime.analysis.diagnosis.signs import signs_of, trust
from thinktime.analysis.diagnosis.trust import Withdrawals
from thinktime.analysis.left_log import left_by
from thinktime.analysis.studies.self_test import runs
from thinktime.models.machine.spec import MachineSpec
from thinktime.users.office_log import made_up_log
from thinktime.workloads import Trace

EASY = MachineSpec(worlds.PROCESSORS, "easy")


@pytest.fixture(scope="module")
def deadline():
    return measure(worlds.deadline())


def test_users_who_wait_submit_after_the_end():
    """The jump of users who wait for each campaign is 1, whether they think by the response time or not."""
    for linear in (False, True):
        log = worlds.closed(linear)
        found = measure(log).jump
        assert found.share == (1.0, 1.0, 1.0)
        assert found.pooled == found.excess == 1.0
        assert found.windows > 50


def test_users_who_look_at_nothing_submit_before_the_end_as_well(deadline):
    """The jump of users who do not wait holds 0.5, or lies below."""
    assert deadline.jump.share.low <= 0.5
    assert deadline.jump.windows > 50


def test_the_wait_says_nothing_of_a_think_time_that_does_not_depend_on_it():
    """Campaign users' waits do not help to foretell their gaps."""
    found = measure(worlds.closed()).gains
    assert found.wait.value <= 0 <= found.wait.high
    assert found.wait_crps.low <= 0


def test_the_wait_foretells_linear_think_times():
    """Where think times grow with the response time, the wait helps, in log score and in CRPS."""
    found = measure(worlds.closed(linear=True)).gains
    assert found.wait.low > 0
    assert found.wait_crps.low > 0


def test_the_wait_foretells_as_much_with_ends_that_nobody_saw(deadline):
    """In a world without reactions the wait seems to help, too, no more than with the ends of another policy."""
    placebo = measure(nulls.with_ends(worlds.deadline())).gains.wait
    wait = deadline.gains.wait
    assert wait.low <= placebo.high and placebo.low <= wait.high


def test_no_clock_where_there_is_none(deadline):
    """Users without hours have no gain by the hour."""
    for found in (measure(worlds.closed()), deadline):
        assert found.gains.clock.low < 0.03


def test_which_mode_to_trust():
    """Campaign users are to be replayed with feedback, and users who look at nothing open-loop."""
    assert trust(worlds.eager(), EASY).modes[0] == "feedback"
    assert trust(worlds.deadline(), EASY).modes == ("open",)


def test_a_diagnosis_puts_the_null_beside_the_log():
    """The null of campaign users does not hold their jump; all numbers are plain values."""
    found = diagnose(worlds.eager(), draws=3)
    assert found.value("jump").value == 1.0
    assert found.null("jump").value < 0.7
    assert found.null("jump").low < found.null("jump").value < found.null("jump").high
    values = found.as_object()
    assert (values["worlds"], values["excess"], values["trust"]) == (3, 1.0, ["feedback", "reacting"])
    for side in (values["log"], values["null"], values["placebo"]):
        low, high = side["intervals"]["wait_gain"]
        assert low < side["wait_gain"] < high
        assert not any(isinstance(value, float) and np.isnan(value) for value in side.values())


def test_the_same_seed_gives_the_same_numbers():
    """A diagnosis can be repeated."""
    one, other = (diagnose(worlds.deadline(), draws=1, seed=4, most_gaps=100).as_object() for _ in range(2))
    assert one == other


def test_withdrawn_jobs_are_no_results():
    """Jobs that were cancelled before they ran change the share of withdrawals alone."""
    log = worlds.closed(days=40)
    cancelled = log.with_columns(submit=log.submit + 60, status=np.full(len(log), 5), runtime=np.zeros(len(log)))
    columns = {name: np.concatenate([column, cancelled.columns[name]]) for name, column in log.columns.items()}
    both = Trace({**columns, "id": np.arange(2 * len(log))}, log.header)
    assert signs_of(both, EASY).jump == signs_of(log, EASY).jump
    assert Withdrawals.of(both).jobs.value == 0.5
    assert trust(both, EASY).modes == ("generative",)


def test_a_log_that_is_too_short_has_no_worlds():
    """With a few gaps nothing is fitted, and the note says so."""
    found = diagnose(worlds.closed().between(0, 86_400))
    assert found.worlds == () and found.placebo is None
    assert "too few gaps" in found.notes[-1]
    assert found.as_object()["log"]["wait_gain"] is None


MACHINE = MachineSpec(8, "easy")


@pytest.fixture(scope="module", name="office")
def week_of_an_office():
    """A week of eight users on a machine that is too small for them."""
    return made_up_log(weeks=1, users=8)


def test_nothing_changes_where_nothing_is_moved(office, monkeypatch):
    """With a share of 0 the log comes back, and the interval has no width."""
    monkeypatch.setattr(tested, "SHARE", 0.0)
    assert self_test(office, MACHINE) == SelfTest((1.0, 1.0, 1.0), (1.0, 1.0))


def test_it_is_that_of_the_study(office):
    """One shake has the study's ratio; the interval holds the mean of both."""
    found = self_test(office, MACHINE, seed=(1, 0))
    study = runs.Run(left_by(office, MACHINE), MACHINE, "feedback", 0, 1).perform()
    assert found.ratios[0] == pytest.approx(study.ratio)
    assert found.ratio.value == pytest.approx(np.mean(found.ratios))
    assert found.ratio.low < found.ratio.value < found.ratio.high
    assert self_test(office, MACHINE, seed=(1, 0)) == found


def test_nobody_waits():
    """Without any wait there is no ratio."""
    assert np.isnan(self_test(log([(1, 0, 100), (1, 500, 30)]), MACHINE).ratio.value)
