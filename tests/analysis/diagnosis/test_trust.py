"""The rules of trust: every condition is one on intervals, and what is unknown or uncertain cannot be said."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.diagnosis import worlds
from thinktime.analysis.diagnosis.diagnose import diagnose
from thinktime.analysis.diagnosis.trust import Signs, Withdrawals, advise
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.workloads import Trace
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.swf.read import WITHDRAWN

NO_CLOCK, SOME_CLOCK = Estimate(0.0, -0.01, 0.01), Estimate(0.12, 0.08, 0.15)
KEPT = Estimate(0.98, 0.9, 1.07)
ALL_WAIT = Signs(Estimate(1.0, 0.99, 1.0), 0.5, Estimate(0.5, 0.4, 0.6), NO_CLOCK, KEPT, Estimate(0, 0, 0))
NAN = float("nan")


def test_users_who_wait_are_replayed_with_feedback_if_it_keeps_the_log():
    """The number of the self-test stands in the sentence; if it is not near 1, feedback is not named first."""
    assert advise(ALL_WAIT).modes == ("feedback", "reacting")
    assert "self-test 0.98 [0.90, 1.07]" in advise(ALL_WAIT).sentence
    forgets = advise(replace(ALL_WAIT, self_test=Estimate(0.7, 0.6, 0.8)))
    assert forgets.modes[0] == "reacting"
    assert "self-test 0.70 [0.60, 0.80]" in forgets.sentence
    assert advise(replace(ALL_WAIT, self_test=UNKNOWN)).modes[0] == "reacting"


def test_the_clock_calls_for_reacting_and_partly_open():
    """Where the hour moves users who wait, feedback is not among the modes."""
    for clock in (SOME_CLOCK, Estimate(1.2, 1.0, 1.4)):
        assert advise(replace(ALL_WAIT, clock=clock)).modes[:2] == ("reacting", "partly-open")


@pytest.mark.parametrize("clock", [UNKNOWN, Estimate(0.02, NAN, NAN), Estimate(0.02, -0.1, 0.2)])
def test_a_clock_that_cannot_be_seen_is_not_taken_for_none(clock):
    """A point below the border is not enough."""
    assert advise(replace(ALL_WAIT, clock=clock)).modes[0] != "feedback"


@pytest.mark.parametrize(
    "changed",
    [
        {"jump": Estimate(1.0, NAN, NAN)},
        {"jump": UNKNOWN},
        {"jump": Estimate(0.8, 0.3, 1.0)},  # wide: it holds the null
        {"null": NAN},
        {"excess": UNKNOWN},
        {"excess": Estimate(0.4, -0.1, 0.9)},
    ],
)
def test_what_is_unknown_or_wide_cannot_be_said(changed):
    """No mode is named."""
    found = advise(replace(ALL_WAIT, **changed))
    assert found.modes == ()
    assert found.sentence.startswith("Which mode to trust cannot be said: ")


def test_a_jump_that_the_placebo_has_as_well_is_no_reaction():
    """Users who submit by cron: jump 1.00, and no smaller at ends that nobody saw."""
    cron = replace(ALL_WAIT, excess=Estimate(-0.1, -0.2, 0.0))
    assert advise(cron).modes == ("open",)
    assert "-0.10 [-0.20, +0.00] over ends that nobody saw" in advise(cron).sentence


def test_a_jump_is_compared_with_its_null():
    """0.6 is above chance, but not above a null of 0.65."""
    of = replace(ALL_WAIT, jump=Estimate(0.6, 0.55, 0.65), excess=Estimate(0.2, 0.1, 0.3))
    assert advise(of).modes[0] == "partly-open"
    assert advise(replace(of, null=0.65)).modes == ("open",)


@pytest.mark.parametrize("jump", [Estimate(0.72, 0.6, 0.84), Estimate(0.9, 0.85, 0.94), Estimate(0.93, 0.85, 1.0)])
def test_a_part_of_the_users_waiting_is_no_case_for_feedback_alone(jump):
    """The sentence says so, and names partly-open first, with the self-test of feedback."""
    found = advise(replace(ALL_WAIT, jump=jump))
    assert found.modes == ("partly-open", "reacting", "feedback")
    assert "others do not" in found.sentence and "self-test" in found.sentence


@pytest.mark.parametrize(("gone", "many"), [((0.004, 0.001, 0.009), False), ((0.004, 0.001, 0.012), True)])
def test_withdrawals_are_few_only_if_their_interval_says_so(gone, many):
    """The border lies at 1 % of the jobs, and holds for the interval."""
    found = advise(replace(ALL_WAIT, withdrawn=Estimate(*gone)))
    assert (found.modes[0] == "generative") is found.corrected is many


def test_a_diagnosis_reads_what_the_log_has_kept_of_withdrawals():
    """Half of the jobs withdrawn: without being told, the share, its interval and the advice are there."""
    log = worlds.closed(days=20)
    gone = np.arange(len(log)) % 2 == 0
    kept = log.with_columns(status=np.where(gone, 5, 1), runtime=np.where(gone, 0.0, log.runtime))
    found = diagnose(kept, draws=1, most_gaps=100)
    assert found.withdrawals.jobs.value == pytest.approx(0.5, abs=0.01)
    assert found.withdrawals.jobs.low < 0.5 < found.withdrawals.jobs.high
    assert found.trust.modes == ("generative",)


def test_withdrawals_that_were_left_out():
    """Ten of a hundred jobs: Wilson's interval. None left out and none kept are none."""
    report = CleaningReport(records=100, jobs=90)
    report.add("dropped", WITHDRAWN, 10)
    log = worlds.closed(days=20)
    part = Trace({name: column[:90] for name, column in log.columns.items()}, log.header, report=report)
    assert Withdrawals.of(part).jobs == pytest.approx((0.1, 0.0552, 0.1744), abs=1e-4)
    assert Withdrawals.of(log).jobs == (0, 0, 0)
