"""The prediction study: the same numbers for any number of workers, its page, its object and its pictures."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thinktime.analysis.studies.prediction import errors, figures, study, summary, tables
from thinktime.analysis.studies.prediction.calibrated import LOADS, USERS
from thinktime.analysis.studies.prediction.cases import CASES, SAME
from thinktime.analysis.studies.prediction.predictors import (
    CORRECTED,
    FEEDBACK,
    GENERATIVE,
    LUCK,
    MODES,
    NO_CHANGE,
    OPEN,
    Log,
    recorded,
)
from thinktime.analysis.studies.prediction.runs import TRUTH, Answer, Run
from thinktime.analysis.studies.prediction.scores import scores
from thinktime.analysis.studies.prediction.study import Evidence, PredictionStudy
from thinktime.analysis.studies.prediction.world import ALL, FAMILIES, MISLEADING, SENSITIVITY, World
from thinktime.analysis.study.answers import answers
from thinktime.cli import main
from thinktime.models.machine.spec import MachineSpec

PAGES = Path(__file__).resolve().parents[4] / "docs" / "studies"
NAMES = (SAME, "FCFS", "+20 % users")
KEYS = [("deadline", 0.75, 0), ("deadline", 0.75, 1), ("session", 0.75, 0)]


def asked() -> dict[Any, Run]:
    """Three little worlds."""
    return {key: Run(World(key[0], key[2], 2, 5), NAMES, draws=1) for key in KEYS}


@pytest.fixture(scope="module")
def found() -> Mapping[Any, Answer]:
    """What they say."""
    return answers(asked())


def test_every_predictor_answers_every_case(found: Mapping[Any, Answer]) -> None:
    """All modes are there; what is recorded predicts itself, and is what correction makes of generative users."""
    for answer in found.values():
        for name, modes in answer.found.items():
            assert set(modes) == {TRUTH, *MODES} - (set() if name in ("EASY", "FCFS") else {LUCK})
        same = answer.found[SAME]
        assert same[NO_CHANGE] == same[TRUTH]
        assert same[CORRECTED] == pytest.approx(same[TRUTH])
        after, before = answer.found["FCFS"], same
        ratio = np.array(after[GENERATIVE]) / np.array(before[GENERATIVE]) * np.array(before[TRUTH])
        assert after[CORRECTED] == pytest.approx(ratio.tolist())


def test_open_loop_is_right_for_deadlines_and_says_so(found: Mapping[Any, Answer]) -> None:
    """Open-loop replay has a typical factor of 1 where nobody reacts, with an interval over the worlds."""
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
    monkeypatch.setattr(study, "read", lambda: summary.read(file))
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
    titles = [part.title.split()[0] for part in tables.page(evidence) if not isinstance(part, str)]
    assert titles == ["Typical", "Bias", "Worlds", "What"]
    made = json.loads(PredictionStudy(quick=True).report(evidence).json)
    assert made["worlds"] == 3 and set(made["families"]) == {"deadline", "session"}
    wanted = {"typical_factor", "low", "high", "bias", "pairs_right", "throughput_right"}
    assert all(wanted <= set(each) for modes in made["families"].values() for each in modes.values())
    assert set(made["families"]["session"]) == set(MODES)
    assert {"predicted-and-true", "typical-factors", "by-size", "morning"} == set(figures.figures(evidence))
    assert len(tables.frames(evidence)["worlds"]) == sum(len(m) for each in found.values() for m in each.found.values())


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


def test_wrong_words(capsys: pytest.CaptureFixture[str]) -> None:
    """A family that is not there gets the near one."""
    assert main(["study", "prediction", "--families", "campagn"]) == 2
    assert "campaign" in capsys.readouterr().err
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
