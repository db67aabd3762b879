"""The study of calibrated users, in its quick form and on answers that were made up."""

import math

import numpy as np
import pytest

from thinktime.analysis.studies.calibrated import errors, figures
from thinktime.analysis.studies.calibrated.findings import findings
from thinktime.analysis.studies.calibrated.rows import Row, read, row_of
from thinktime.analysis.studies.calibrated.runs import CASES, MODES, Answer
from thinktime.analysis.studies.calibrated.study import CalibratedStudy, Evidence
from thinktime.analysis.studies.prediction.cases import SAME


@pytest.fixture(scope="module")
def quick():
    study = CalibratedStudy(quick=True, families="campaign")
    return study, study.run()


def made(truth, predicted, draws, lacks=()):
    """An answer with these mean waits under FCFS, and twice these with more processors."""

    def values(wait):
        return (wait, 1.0, 1.0, 1.0, 0.5)

    others = ("open", "feedback", "reacting")
    found = {
        SAME: {"truth": values(100.0), "calibrated": values(100.0)} | {mode: values(100.0) for mode in others},
        "FCFS": {"truth": values(truth), "calibrated": values(predicted)} | {mode: values(9.0) for mode in others},
    }
    found["+20 % processors"] = {mode: values(2 * of[0]) for mode, of in found["FCFS"].items()}
    given = {SAME: (100.0,) * len(draws), "FCFS": draws, "+20 % processors": tuple(2 * each for each in draws)}
    kinds = dict.fromkeys(("look at nothing", "may look", "wait for all", "at equal intervals"), 1)
    return Answer(10, found, given, kinds, lacks)


def row(answer, world=0, family="campaign"):
    """The row of an answer."""
    return row_of((family, 0.6, world), 1, answer)


def test_a_world_in_which_users_only_wait_is_predicted(quick):
    """Where nothing is changed the log comes back, and calibrated users are nearer than the open loop."""
    _, found = quick
    (answer,), rows = found.worlds.values(), found.of("campaign")
    assert errors.same(rows).factor == pytest.approx(1.0, abs=1e-6)
    assert errors.typical(rows).factor < errors.typical(rows, "open").factor
    unchanged = answer.found[SAME]["truth"][0]
    assert answer.draws[SAME] == pytest.approx((unchanged, unchanged))
    assert len(set(answer.draws["FCFS"])) == 2
    assert answer.classes["look at nothing"] == 0
    assert answer.classes["wait for all"] == answer.classes["may look"] > 0


def test_the_same_seed_gives_the_same_answer(quick):
    """Whatever was run before."""
    study, found = quick
    assert study.run().worlds == found.worlds


def test_typical_factors_and_intervals_of_made_up_worlds():
    """Twice and half the truth are both missed by a factor of two; an interval holds what lies between its draws."""
    answers = [row(made(200.0, 400.0, (150.0, 250.0, 300.0))), row(made(200.0, 100.0, (210.0, 220.0, 230.0)))]
    assert errors.typical(answers).factor == pytest.approx(2.0)
    assert errors.typical(answers, "open").factor == pytest.approx(200 / 9)
    assert errors.held(answers).share == 0.5
    assert errors.differences_held(answers).share == 0.5
    assert errors.same(answers).factor == 1.0


def test_intervals_of_draws_hold_one_more_draw_in_80_percent():
    """Whatever is drawn from; the deciles of twenty numbers themselves do so in 72 %."""
    rng = np.random.default_rng(0)
    worlds = [row(made(*rng.exponential(100.0, 2), tuple(rng.exponential(100.0, 20).tolist()))) for _ in range(1000)]
    assert errors.held(worlds).share == pytest.approx(0.8, abs=0.04)


def test_the_page_says_what_is_met(quick):
    """A table of each kind of family, and a verdict on each claim."""
    study, found = quick
    shown = list(study.report(found).page())
    assert next(part.title for part in shown if part).endswith("families of the prediction study")
    assert shown[-2].title == "Do users fitted to a log predict what would happen?"
    assert shown[-1].startswith("Worlds: 1 of seed 3107.")
    poor = Evidence([row(made(200.0, 400.0, (1.0, 2.0)), number) for number in range(3)])
    assert [each.seen for each in findings(poor)] == [False, True, False, False, False]
    told = study.report(poor)
    assert told.values()["families"]["campaign"]["worlds"] == 3
    assert [each["world"] for each in told.frames()["worlds"]] == [0, 1, 2]
    assert all(math.isfinite(row["mean_wait"]) for row in study.report(found).frames()["predictions"])


def test_families_count_alike():
    """What is said of all of them is the geometric mean of the families' factors, and what is met is said of each."""
    rows = [row(made(200.0, 400.0, (150.0, 250.0)), number) for number in range(3)]
    rows.append(row(made(200.0, 200.0, (150.0, 250.0)), family="linear"))
    first, second = [part for part in CalibratedStudy().report(Evidence(rows)).page() if hasattr(part, "rows")][:2]
    assert [(cells[0], cells[1], cells[5], cells[-1]) for cells in first.rows[:2]] == [
        ("campaign", "3", "2.00", "not met"), ("linear", "1", "1.00", "met"),
    ]  # fmt: skip
    assert first.rows[2][:2] == ("all 2", "4") and first.rows[2][5] == "1.41"
    assert [cells[3] for cells in second.rows] == ["not met"] * 3


def test_worlds_are_told_apart_by_what_the_model_lacks():
    """By each thing that a log shows; rows of which nobody knows it are left out, and most worlds make a warning."""
    rows = [row(made(200.0, 200.0, (150.0, 250.0))), row(made(200.0, 200.0, (150.0, 250.0)), 1)]
    rows += [row(made(200.0, 400.0, (1.0, 2.0), ("queue", "days")), number, "linear") for number in range(3)]
    rows += [row(made(200.0, 400.0, (1.0, 2.0), ("queue",)), 3, "linear")._replace(lacks=None)]
    tables = {part.title: part for part in CalibratedStudy().report(Evidence(rows)).page() if hasattr(part, "rows")}
    told = tables["Where the log shows that users do what the model lacks"].rows
    assert [(cells[1], cells[2], cells[3], cells[-1]) for cells in told] == [
        ("nothing more", "2", "1.00", "100%"), ("submit less while jobs wait", "3", "2.00", "0%"),
        ("are busier on some days", "3", "2.00", "0%"),
    ]  # fmt: skip
    warned = tables["How often 80 % intervals hold the truth: families of the prediction study"].rows
    assert [cells[-1] for cells in warned] == ["0%", "100%", "60%"]
    (warning,) = [each for each in findings(Evidence(rows)) if "warns" in each.says]
    assert warning.seen and warning.ours == "in 100% of their worlds"


def test_rows_are_kept(tmp_path):
    """A row of text is read as it was, but for its last digits, and the package keeps those of known worlds once."""
    one = row(made(200.0, 400.0, (150.0, 250.0), ("queue", "others")))
    file = tmp_path / "worlds.csv"
    CalibratedStudy().report(Evidence([one])).write(tmp_path, None)
    (again,) = read(file)
    assert again.changed == pytest.approx(one.changed, abs=1e-4)
    assert again._replace(changed=one.changed) == one
    CalibratedStudy().report(Evidence([one._replace(lacks=())])).write(tmp_path, None)
    assert read(file)[0].lacks == ()
    kept = read()
    assert len({each[:4] for each in kept}) == len(kept) > 0
    found = CalibratedStudy(kept=True).run()
    assert sum(len(found.of(family)) for family in found.families) == len(kept)
    assert not figures.figures(found)
    assert all(set(each.changed) == set(MODES) for each in kept) and isinstance(kept[0], Row)


def test_twelve_cases_are_changes():
    """Beside the one in which nothing is changed."""
    assert len(CASES) == 13
    with pytest.raises(ValueError, match="there is no family 'campain'"):
        CalibratedStudy(families="campain")


def test_some_loads():
    """In the order in which they are asked for."""
    tasks = CalibratedStudy(families="cron", worlds=2, loads="0.9, 0.6").tasks()
    assert list(tasks) == [("cron", 0.9, 0), ("cron", 0.6, 0), ("cron", 0.9, 1), ("cron", 0.6, 1)]
    with pytest.raises(ValueError, match=r"--loads: '0.7' is none of 0.6, 0.75, 0.9"):
        CalibratedStudy(loads="0.7")
