"""Whether advice is right, by hand; and the families whose logs mislead."""

import numpy as np
import pytest

from thinktime.analysis.diagnosis.signs import signs_of
from thinktime.analysis.diagnosis.trust import Signs
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.studies.prediction import right_advice
from thinktime.analysis.studies.prediction.predictors import CORRECTED, FEEDBACK, OPEN, PARTLY_OPEN, REACTING, recorded
from thinktime.analysis.studies.prediction.world import World
from thinktime.analysis.study.answer_data import answer_type, dumped, loaded
from thinktime.models.machine.spec import MachineSpec

EASY = MachineSpec(64, "easy")
ALL_WAIT = Estimate(1.0, 1.0, 1.0)
SURE = Signs(ALL_WAIT, 0.5, Estimate(0.5, 0.4, 0.6), Estimate(0, -0.01, 0.01), Estimate(1, 0.95, 1.05))
NOBODY = Signs(Estimate(0.5, 0.45, 0.55), 0.5, Estimate(0.0, -0.1, 0.1))


def test_right_is_near_the_best_mode_of_the_family():
    """Within a fifth of the best mode there; what is said of worlds with even numbers does not count."""
    factors = {mode: {"typical_factor": 1.5} for mode in right_advice.ALWAYS}
    families = {
        "campaign": factors | {FEEDBACK: {"typical_factor": 1.3}, REACTING: {"typical_factor": 1.1}},
        "session": factors | {FEEDBACK: {"typical_factor": 1.4}, REACTING: {"typical_factor": 1.1}},
    }
    unknown = Signs(UNKNOWN, np.nan, UNKNOWN)
    asked = {("campaign", 0.75, 1): SURE, ("campaign", 0.75, 3): unknown, ("campaign", 0.75, 4): NOBODY}
    asked |= {("session", 0.75, 1): SURE, ("session", 0.9, 1): NOBODY}
    found = right_advice.summary(families, asked)
    counts = {family: [of[name] for name in ("worlds", "right", "wrong", "unsaid")] for family, of in found.items()}
    assert counts == {"campaign": [2, 1, 0, 1], "session": [2, 0, 2, 0]}
    assert found["campaign"]["named"] == {FEEDBACK: 1, right_advice.UNSAID: 1}
    assert found["session"]["factor"] == pytest.approx(np.sqrt(1.4 * 1.5))
    assert found["session"]["best_factor"] == 1.1
    assert found["session"]["always"][REACTING]["right"] == 2 and found["session"]["always"][OPEN]["right"] == 0


def test_the_mode_named_first():
    """Generative users that are to be calibrated are the corrected ones."""
    assert right_advice.first_named(NOBODY) == OPEN
    assert right_advice.first_named(SURE) == FEEDBACK
    gone = Signs(SURE.jump, 0.5, SURE.excess, SURE.clock, SURE.self_test, Estimate(0.1, 0.05, 0.15))
    assert right_advice.first_named(gone) == CORRECTED


@pytest.mark.compiled
def test_programs_that_submit_by_the_clock_are_not_taken_for_users_who_wait():
    """Their jump is near 1, and larger still at ends that nobody saw: the open loop is advised."""
    signs = signs_of(recorded(World("cron", 2, 9, 2026).truth(EASY)), EASY)
    assert signs.jump.low > 0.85 > signs.null
    assert signs.excess.high < 0
    assert right_advice.first_named(signs) == OPEN


@pytest.mark.compiled
def test_half_of_the_users_waiting_is_not_all_of_them():
    """Their jump lies between, and feedback is not named first."""
    signs = signs_of(recorded(World("half waiting", 1000, 18, 2026).truth(EASY)), EASY)
    assert 0.6 < signs.jump.value < 0.9
    assert right_advice.first_named(signs) == PARTLY_OPEN


def test_what_a_log_says_can_be_kept():
    """The answer of the task, with what is unknown, is data."""
    kind = answer_type(right_advice.Run(World("cron", 0, 1, 1), EASY))
    for signs in (SURE, NOBODY):
        assert repr(loaded(dumped(signs, kind), kind)) == repr(signs)
