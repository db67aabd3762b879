"""The prediction study: its page, its object and its pictures, what logs say, and whether the advice is right."""

import dataclasses
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.analysis.diagnosis import worlds
from tests.commands import refusal_of
from thinktime.analysis.diagnosis.signs import signs_of
from thinktime.analysis.diagnosis.trust import Signs
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.studies.prediction import (
    errors,
    figures,
    log_figures,
    logs,
    right_advice,
    study,
    summary,
    tables,
)
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.cases import CASES, SAME
from thinktime.analysis.studies.prediction.findings import findings
from thinktime.analysis.studies.prediction.predictors import (
    CALIBRATED,
    CORRECTED,
    FEEDBACK,
    GENERATIVE,
    LUCK,
    MODES,
    NO_CHANGE,
    OPEN,
    PARTLY_OPEN,
    REACTING,
    Log,
    recorded,
)
from thinktime.analysis.studies.prediction.runs import TRUTH, Answer, Run
from thinktime.analysis.studies.prediction.scores import scores
from thinktime.analysis.studies.prediction.study import Evidence, PredictionStudy
from thinktime.analysis.studies.prediction.world import ALL, FAMILIES, MISLEADING, SENSITIVITY, World
from thinktime.analysis.study.answer_data import answer_type, dumped, loaded
from thinktime.analysis.study.answers import answers
from thinktime.analysis.study.base import StudiedLog
from thinktime.models.machine.spec import MachineSpec

PAGES = Path(__file__).resolve().parents[4] / "docs" / "studies"
NAMES = (SAME, "FCFS", "+20 % users")
KEYS = [("deadline", 0.75, 0), ("deadline", 0.75, 1), ("session", 0.75, 0)]


def asked() -> dict[Any, Run]:
    """Three little worlds; users are fitted in the first."""
    few = tuple(mode for mode in MODES if mode != CALIBRATED)
    return {
        key: Run(World(key[0], key[2], 2, 5), NAMES, draws=1, modes=MODES if key == KEYS[0] else few) for key in KEYS
    }


@pytest.fixture(scope="module")
def found() -> Mapping[Any, Answer]:
    """What they say."""
    return answers(asked())


def test_every_predictor_answers_every_case(found: Mapping[Any, Answer]) -> None:
    """All modes are there; what is recorded predicts itself, and is what correction makes of generative users."""
    for key, answer in found.items():
        without = set() if key == KEYS[0] else {CALIBRATED}
        for name, modes in answer.found.items():
            assert set(modes) == {TRUTH, *MODES} - without - (set() if name in ("EASY", "FCFS") else {LUCK})
        same = answer.found[SAME]
        assert same[NO_CHANGE] == same[TRUTH]
        assert same[CORRECTED] == pytest.approx(same[TRUTH])
        after, before = answer.found["FCFS"], same
        ratio = np.array(after[GENERATIVE]) / np.array(before[GENERATIVE]) * np.array(before[TRUTH])
        assert after[CORRECTED] == pytest.approx(ratio.tolist())


def test_open_loop_is_right_for_deadlines_and_says_so(found: Mapping[Any, Answer]) -> None:
    """Open-loop replay has a typical factor of 1 where no user reacts, with an interval over the worlds."""
    worlds = [each for key, each in found.items() if key[0] == "deadline"]
    only = [each._replace(found={name: each.found[name] for name in (SAME, "FCFS")}) for each in worlds]
    assert errors.quality(only, OPEN).typical == pytest.approx((1.0, 1.0, 1.0, 2), abs=1e-6)
    assert errors.quality(only, FEEDBACK).typical.factor >= 1.0


def test_an_error_is_a_mean_of_logarithms_over_worlds() -> None:
    """Two worlds, by hand: factors of 2 and 1/2 in one, of 8 in the other."""

    def answer(*predicted: float) -> Answer:
        cases = dict(zip(("FCFS", "SJF-EASY"), predicted, strict=False))
        one = (100.0, 1.0, 1.0, 10.0, 0.5)
        found = {SAME: {TRUTH: one, OPEN: one}}
        found |= {name: {TRUTH: one, OPEN: (100.0 * by, 1.0, 1.0, 10.0, 0.5)} for name, by in cases.items()}
        return Answer(1, 0.5, found, {}, {}, {})

    of = errors.quality([answer(2.0, 0.5), answer(8.0, 8.0)], OPEN)
    assert of.typical.factor == pytest.approx(4.0)
    assert of.bias.factor == pytest.approx(np.sqrt(8.0))
    assert of.typical.n == 2 and of.typical.low == 1.0
    assert np.isnan(of.throughput_right) and np.isnan(of.pairs_right)


def test_the_page_can_be_made_of_what_was_kept(
    found: Mapping[Any, Answer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown of study.json, without any world, is what was shown of the worlds; pictures need these."""
    evidence = Evidence(5, dict(found), {}, {})
    file = tmp_path / "study.json"
    file.write_text(PredictionStudy(quick=True).report(evidence).json)
    monkeypatch.setattr(study, "read", lambda: summary.read([file]))
    again = PredictionStudy(kept=True)
    kept = again.run()
    assert not again.tasks() and not again.report(kept).figures()
    assert list(map(shown, again.report(kept).page())) == list(map(shown, again.report(evidence).page()))


def shown(part: Any) -> Any:
    """A table as its parts."""
    return part if isinstance(part, str) else vars(part)


def test_cases_told_apart_do_not_count(found: Mapping[Any, Answer]) -> None:
    """Other numbers of users are no part of the typical factor: it is that of the worlds without these cases."""
    worlds = [each for key, each in found.items() if key[0] == "session"]
    without = [each._replace(found={name: each.found[name] for name in (SAME, "FCFS")}) for each in worlds]
    assert repr(errors.quality(worlds, OPEN).typical) == repr(errors.quality(without, OPEN).typical)  # with NaN
    error = errors.log_error(worlds[0], "+20 % users", OPEN)
    assert errors.apart(worlds, OPEN)["other_users"].factor == pytest.approx(np.exp(abs(error)))


def test_page_object_and_pictures(found: Mapping[Any, Answer]) -> None:
    """All parts of a study are made of any worlds; the object is plain JSON."""
    evidence = Evidence(5, dict(found), {}, {})
    told = PredictionStudy(quick=True).report(evidence)
    titles = [part.title.split()[0] for part in told.page() if not isinstance(part, str)]
    assert titles == ["Typical", "Bias", "Worlds", "What"]
    made = json.loads(told.json)
    assert made["worlds"] == 3 and set(made["families"]) == {"deadline", "session"}
    wanted = {"typical_factor", "low", "high", "bias", "pairs_right", "throughput_right"}
    assert all(wanted <= set(each) for modes in made["families"].values() for each in modes.values())
    assert set(made["families"]["deadline"]) == set(MODES)
    assert set(made["families"]["session"]) == set(MODES) - {CALIBRATED}
    assert {"predicted-and-true", "typical-factors", "by-size", "morning"} == set(figures.figures(evidence))
    assert len(told.frames()["worlds"]) == sum(len(m) for each in found.values() for m in each.found.values())


def test_what_is_simulated() -> None:
    """The full study has ten families at three loads and three at one; each world is asked for advice, too."""
    full = PredictionStudy().tasks()
    worlds = [key for key in full if key[0] not in ("ross", "advice")]
    assert len(worlds) == ((len(FAMILIES) + len(MISLEADING)) * len(LOADS) + len(SENSITIVITY)) * 20 == 660
    assert [key[1:] for key in full if key[0] == "advice"] == worlds
    assert set(USERS) == set(ALL)
    assert len(PredictionStudy(quick=True).tasks()) == 2 * 16
    assert len({(key[0], full[key].world.number) for key in worlds}) == len(worlds)
    assert len(study.FULL_EFFORT.cases) == len(CASES) == 15


def test_modes_that_are_asked_for() -> None:
    """Those alone are run, in worlds and of Ross, beside the truth; what needs the others is left out."""
    modes = ("open", "calibrated")
    tasks = PredictionStudy(quick=True, families="campaign", worlds=1, modes="calibrated, open").tasks()
    assert list(tasks) == [("campaign", 0.75, 0)] and tasks["campaign", 0.75, 0].modes == modes
    few = {key: dataclasses.replace(run, modes=("open", "luck")) for key, run in asked().items()}
    evidence = Evidence(5, answers(few), {}, {})
    assert {name for each in evidence.worlds.values() for name in each.found["FCFS"]} == {TRUTH, "open", "luck"}
    told = PredictionStudy(quick=True).report(evidence)
    first = next(iter(told.page()))
    assert [cells[0] for cells in first.rows] == ["open", "luck"]
    assert not told.figures() and not list(findings(evidence))


def test_kept_modes_of_several_files(found: Mapping[Any, Answer], tmp_path: Path) -> None:
    """What has one more mode, in fewer worlds, is put beside the others, and the legend says in how many."""
    files = [tmp_path / name for name in ("full.json", "one.json")]
    one = found[KEYS[0]]
    alone = one._replace(
        found={case: {each: of[each] for each in (TRUTH, CALIBRATED)} for case, of in one.found.items()}
    )
    of_family = {KEYS[0]: found[KEYS[1]], KEYS[1]: found[KEYS[1]]}
    for file, kept in zip(files, (of_family, {KEYS[0]: alone}), strict=True):
        file.write_text(PredictionStudy(quick=True).report(Evidence(5, kept, {}, {})).json)
    whole, read = summary.read(files[:1]), summary.read(files)
    assert read["families"]["deadline"].pop(CALIBRATED)["n"] == 1
    assert repr(read) == repr(whole)
    assert "2 worlds, calibrated in 1 of them, seed 5" in tables.legend(summary.read(files))


def test_wrong_words() -> None:
    """A family or a mode that is not there gets the near one."""
    assert "feedback" in refusal_of("study", "prediction", "--modes", "feedbak")
    assert "campaign" in refusal_of("study", "prediction", "--families", "campagn")
    with pytest.raises(ValueError, match="no family 'x'"):
        dataclasses.replace(PredictionStudy(), families="campaign, x")


@pytest.mark.compiled
@pytest.mark.thorough
def test_generative_users_under_the_recorded_policy_are_as_good_as_luck() -> None:
    """In a world of campaigns, the mean wait of 20 draws under A lies among those of the truth with other dice."""
    world, easy = World("campaign", 0, 12, 2026), MachineSpec(64, "easy")
    log = Log(recorded(world.truth(easy)), world.seeds)
    drawn = np.mean([scores(each).wait for each in log.drawn(easy, draws=20)])
    lucky = np.log([scores(world.truth(easy, dice=dice)).wait for dice in range(1, 11)])
    assert abs(np.log(drawn) - lucky.mean()) < 2.262 * lucky.std(ddof=1) * np.sqrt(1 + 1 / 10)


@pytest.fixture(scope="module")
def diagnosed():
    return logs.Run(worlds.eager(), 1, quick=True).perform()


def test_the_object_of_a_log(diagnosed):
    """Each log has its jump, the gains, the null's, and their intervals."""
    found = diagnosed.as_object()
    assert found["jump"] == 1.0
    assert found["wait_gain_null"] == diagnosed.null["wait_gain"].value
    assert {"jump", "clock_gain", "wait_gain", "wait_gain_null", "wait_gain_placebo"} <= found["intervals"].keys()
    assert found["sentence"].startswith("Trust feedback")


def test_an_answer_can_be_kept(diagnosed):
    """The answer of a log consists of plain values and classes of the package, so that a study can be resumed."""
    assert repr(pickle.loads(pickle.dumps(diagnosed))) == repr(diagnosed)


def test_every_log_given_is_diagnosed():
    """A study has a task for each log, by its name, and none without."""
    given = StudiedLog("some/where.swf.gz", worlds.closed(days=40))
    study = PredictionStudy(quick=True, families="campaign", worlds=1, log=(given,))
    assert [key for key in study.tasks() if key[0] == "log"] == [("log", "where")]
    assert study.tasks()["log", "where"].quick
    assert not [key for key in PredictionStudy(quick=True).tasks() if key[0] == "log"]


def test_table_and_pictures(diagnosed):
    """Three rows for each log, and two pictures."""
    named = {"one": diagnosed, "other": diagnosed}
    told = {name: each.as_object() for name, each in named.items()}
    assert [row[0] for row in logs.table(told).rows[:3]] == ["one", "  if nobody reacted", "  with ends nobody saw"]
    assert log_figures.jumps(named).axes[0].get_title("left") == "one: 1.00"
    assert [label.get_text() for label in log_figures.waits(named).axes[0].get_yticklabels()] == ["one", "other"]


EASY = MachineSpec(64, "easy")
ALL_WAIT = Estimate(1.0, 1.0, 1.0)
SURE = Signs(ALL_WAIT, 0.5, Estimate(0.5, 0.4, 0.6), Estimate(0, -0.01, 0.01), Estimate(1, 0.95, 1.05))
UNMOVED = Signs(Estimate(0.5, 0.45, 0.55), 0.5, Estimate(0.0, -0.1, 0.1))


def test_right_is_near_the_best_mode_of_the_family():
    """Within a fifth of the best mode there; what is said of worlds with even numbers does not count."""
    factors = {mode: {"typical_factor": 1.5} for mode in right_advice.ALWAYS}
    families = {
        "campaign": factors | {FEEDBACK: {"typical_factor": 1.3}, REACTING: {"typical_factor": 1.1}},
        "session": factors | {FEEDBACK: {"typical_factor": 1.4}, REACTING: {"typical_factor": 1.1}},
    }
    unknown = Signs(UNKNOWN, np.nan, UNKNOWN)
    asked = {("campaign", 0.75, 1): SURE, ("campaign", 0.75, 3): unknown, ("campaign", 0.75, 4): UNMOVED}
    asked |= {("session", 0.75, 1): SURE, ("session", 0.9, 1): UNMOVED}
    found = right_advice.summary(families, asked)
    counts = {family: [of[name] for name in ("worlds", "right", "wrong", "unsaid")] for family, of in found.items()}
    assert counts == {"campaign": [2, 1, 0, 1], "session": [2, 0, 2, 0]}
    assert found["campaign"]["named"] == {FEEDBACK: 1, right_advice.UNSAID: 1}
    assert found["session"]["factor"] == pytest.approx(np.sqrt(1.4 * 1.5))
    assert found["session"]["best_factor"] == 1.1
    assert found["session"]["always"][REACTING]["right"] == 2 and found["session"]["always"][OPEN]["right"] == 0


def test_the_mode_named_first():
    """Generative users that are to be corrected are the corrected ones."""
    assert right_advice.first_named(UNMOVED) == OPEN
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
    for signs in (SURE, UNMOVED):
        assert repr(loaded(dumped(signs, kind), kind)) == repr(signs)
