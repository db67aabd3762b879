"""The command that fits users to a log: what it prints, and what it writes."""

import json

import numpy as np
import pytest

import thinktime as tt
from tests.workloads.calibration.users_of_logs import by_the_clock, merged, waiting
from thinktime.analysis.calibration import figures, report
from thinktime.users.office_log import made_up_log


@pytest.fixture(name="log", scope="module")
def write_log(tmp_path_factory):
    """A log of few users of an office."""
    path = tmp_path_factory.mktemp("log") / "office.swf"
    tt.write_swf(made_up_log(weeks=1, users=6), path)
    return path


@pytest.fixture(name="users", scope="module")
def fit(log):
    return tt.calibrate(tt.read_swf(log))


def test_the_page_fits_its_width_and_says_what_its_words_mean(run, log):
    """No row of a table is folded, and below the tables stands what a curve is and what is known."""
    status, out, err = run("calibrate", log, "--quiet")
    assert status == 0, err
    lines = [line.rstrip() for line in out.splitlines()]
    assert max(map(len, lines)) <= 100
    rows = [line for line in lines if any(tick in line for tick in report.TICKS)]
    assert len({next(at for at, sign in enumerate(row) if sign in report.TICKS) for row in rows}) == 1
    assert all(any(row.startswith(word) for word in report.WORDS.values()) for row in rows)
    assert " ".join(report.LEGEND.split()) in " ".join(out.split())
    assert any(line.startswith("calibrated") and line.endswith("–") for line in lines)


def test_what_is_written_is_what_is_printed(run, log, users, tmp_path):
    """The users come back from the folder, the numbers are those of ``--json``, and there are two pictures."""
    status, out, err = run("calibrate", log, "--quiet", "--json", "--out", tmp_path / "found")
    assert status == 0, err
    kept = tt.read_users(tmp_path / "found")
    assert kept.gaps == users.gaps == json.loads(out)["gaps"]
    assert json.loads((tmp_path / "found" / "calibration.json").read_text()) == json.loads(out)
    assert {path.name for path in (tmp_path / "found").glob("*.png")} == {"effects.png", "residuals.png"}


def test_scores_are_told_beside_the_chosen_model(users):
    """The difference of each model is its score less that of the chosen one, which has none."""
    rows = {name: (nats, beside) for name, nats, beside in report.score_rows(users)}
    chosen, said = rows.pop("calibrated")
    assert said == "–"
    for nats, beside in rows.values():
        assert float(beside.split()[0]) == pytest.approx(nats - chosen, abs=6e-4)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0.05, 300, [0.1, 1, 10, 100]), (0.15, 11, [0.2, 0.5, 1, 2, 5, 10]), (0.75, 1.3, [0.8, 1, 1.2])],
)
def test_ticks_are_round_factors(low, high, ticks):
    """The fewest round numbers that are three or more."""
    assert figures.ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize(("factor", "said"), [(137.0, "140"), (5900.0, "5,900"), (9.96, "10"), (0.0294, "0.029")])
def test_factors_have_two_digits(factor, said):
    """And no exponent where they are large."""
    assert report.two_digits(factor) == said


def test_users_of_several_kinds(run, tmp_path):
    """The verdict says who goes by the clock, who looks at results, and who waits; the object has the same numbers."""
    tt.write_swf(merged(waiting(0), by_the_clock(0)), tmp_path / "users.swf")
    status, out, _ = run("calibrate", tmp_path / "users.swf", "--out", tmp_path / "found", "--quiet")
    said = " ".join(out.split())
    assert status == 0
    assert "4 users of 12 submit at equal intervals, whatever happens." in said
    assert "8 of 12 users may look at results" in said
    assert "Of 8 it is clear that they submit nothing while a batch is outstanding" in said
    users, found = tt.read_users(tmp_path / "found"), json.loads((tmp_path / "found" / "calibration.json").read_text())
    assert users.names[users.clockwork].tolist() == [200, 201, 202, 203]
    assert (found["users"], found["clockwork"], found["gaps"]) == (12, 4, users.gaps)
    assert [each["users"] for each in found["classes"]] == [4, 8]
    for each in found["classes"]:
        for effect in each["effects"].values():
            low, value, high = (np.array(effect[name]) for name in ("low", "value", "high"))
            assert (low <= value).all() and (value <= high).all()


def test_the_object(run, tmp_path):
    """A short log, of which nothing is held out: the object says so with nulls, and has what Python finds."""
    log = waiting(1, 2, 12)
    tt.write_swf(log, tmp_path / "short.swf")
    status, out, _ = run("calibrate", tmp_path / "short.swf", "--json", "--quiet")
    found, users = json.loads(out), tt.calibrate(tt.read_swf(tmp_path / "short.swf"), score=False)
    assert status == 0
    assert (found["jobs"], found["users"], found["gaps"]) == (24, 2, 22)
    assert found["held_out_ks"] is None and found["scores"] == {}
    assert found["evidence"] == pytest.approx(dict(users.evidence))
    assert found["verdict"] == list(report.verdict(users))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda log: log.with_columns(wait=np.full(len(log), -1.0)), "the log has no waits (field 3)"),
        (lambda log: log.with_columns(user=np.full(len(log), -1)), "does not say who submitted its jobs (field 12)"),
        (lambda log: log.select(np.arange(len(log)) < 8), "and a fit needs 10 times"),
        (lambda log: log.select(np.arange(len(log)) < 0), "no jobs"),
    ],
    ids=["no waits", "no users", "few jobs", "empty"],
)
def test_logs_that_say_too_little(fails, tmp_path, change, says):
    """One sentence, and the status 2; no folder is left behind."""
    path = tmp_path / "poor.swf"
    tt.write_swf(change(waiting(0)), path)
    assert says in fails("calibrate", path, "--out", tmp_path / "found", "--quiet")
    assert not (tmp_path / "found").exists()


def test_a_log_that_is_not_there(fails, tmp_path):
    """It is named."""
    assert "missing.swf" in fails("calibrate", tmp_path / "missing.swf", "--quiet")
