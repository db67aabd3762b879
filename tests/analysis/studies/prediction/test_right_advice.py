"""Whether advice is right, by hand; and the families whose logs mislead."""

import numpy as np
import pytest

from thinktime.analysis.diagnosis.signs import signs_of
from thinktime.analysis.diagnosis.trust import Signs
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.studies.answer_data import answer_type, dumped, loaded
from thinktime.analysis.studies.prediction import right_advice
from thinktime.analysis.studies.prediction.cases import SAME
from thinktime.analysis.studies.prediction.predictors import CORRECTED, FEEDBACK, OPEN, recorded
from thinktime.analysis.studies.prediction.runs import TRUTH, Answer
from thinktime.analysis.studies.prediction.world import World
from thinktime.models.machine_spec import MachineSpec

EASY = MachineSpec(64, "easy")
ALL_WAIT = Estimate(1.0, 1.0, 1.0)
SURE = Signs(ALL_WAIT, 0.5, Estimate(0.5, 0.4, 0.6), Estimate(0, -0.01, 0.01), Estimate(1, 0.95, 1.05))
NOBODY = Signs(Estimate(0.5, 0.45, 0.55), 0.5, Estimate(0.0, -0.1, 0.1))


def answer(**factors: float) -> Answer:
    """A world in which each mode misses the mean wait of every change by a factor; others by ten."""

    def scores(factor: float) -> tuple[float, ...]:
        return (100.0 * factor, 1.0, 1.0, 1.0, 0.5)

    modes = {mode: scores(factors.get(mode, 10.0)) for mode in right_advice.ALWAYS} | {TRUTH: scores(1.0)}
    return Answer(1, 0.5, {SAME: modes} | dict.fromkeys(right_advice.CHANGED, modes), {}, {}, {})


def test_right_is_near_the_best_mode():
    """Within a fifth of the best mode; what is said of worlds with even numbers does not count."""
    worlds = {
        ("campaign", 0.75, 1): answer(feedback=1.3, reacting=1.1),  # right
        ("campaign", 0.75, 3): answer(feedback=1.4, reacting=1.1),  # wrong
        ("campaign", 0.75, 5): answer(open=1.0),  # unsaid
        ("campaign", 0.75, 4): answer(feedback=1.0),
    }
    asked = dict.fromkeys(worlds, SURE) | {("campaign", 0.75, 5): Signs(UNKNOWN, np.nan, UNKNOWN)}
    found = right_advice.summary(worlds, asked)["campaign"]
    assert [found[name] for name in ("worlds", "right", "wrong", "unsaid")] == [3, 1, 1, 1]
    assert found["named"] == {FEEDBACK: 2, right_advice.UNSAID: 1}
    assert found["factor"] == pytest.approx(np.sqrt(1.3 * 1.4))
    assert found["best_factor"] == pytest.approx((1.1 * 1.1) ** (1 / 3))
    assert found["always"][OPEN]["right"] == 1


def test_the_mode_named_first():
    """Generative users that are to be calibrated are the corrected ones."""
    assert right_advice.first_named(NOBODY) == OPEN
    assert right_advice.first_named(SURE) == FEEDBACK
    gone = Signs(SURE.jump, 0.5, SURE.excess, SURE.clock, SURE.self_test, Estimate(0.1, 0.05, 0.15))
    assert right_advice.first_named(gone) == CORRECTED


@pytest.mark.compiled
def test_programs_that_submit_by_the_clock_are_not_taken_for_users_who_wait():
    """Their jump is near 1, and so is that at ends that nobody saw: feedback is not advised."""
    signs = signs_of(recorded(World("cron", 2, 15, 2026).truth(EASY)), EASY)
    assert signs.jump.low > 0.85 > signs.null
    assert not signs.excess.low > 0
    assert FEEDBACK not in right_advice.advise(signs).modes


@pytest.mark.compiled
def test_half_of_the_users_waiting_is_not_all_of_them():
    """Their jump lies between, and feedback is not named first."""
    signs = signs_of(recorded(World("half waiting", 1002, 18, 2026).truth(EASY)), EASY)
    assert 0.6 < signs.jump.value < 0.9
    assert right_advice.first_named(signs) != FEEDBACK


def test_what_a_log_says_can_be_kept():
    """The answer of the task, with what is unknown, is data."""
    kind = answer_type(right_advice.Run(World("cron", 0, 1, 1), EASY))
    for signs in (SURE, NOBODY):
        assert repr(loaded(dumped(signs, kind), kind)) == repr(signs)
