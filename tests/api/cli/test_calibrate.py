"""The command that fits users to a log: what it prints, and what it writes."""

import json

import pytest

import thinktime as tt
from thinktime.analysis.calibration import figures, report
from thinktime.analysis.studies.feedback.office_log import made_up_log


@pytest.fixture(name="log", scope="module")
def write_log(tmp_path_factory):
    """A log of few users of an office."""
    path = tmp_path_factory.mktemp("log") / "office.swf"
    tt.write_swf(made_up_log(weeks=2, users=6), path)
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
