"""The study of logs over the years: its rows, what it looks for by hand, its command."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.analysis.calibration.reactions import Reactions, reactions
from thinktime.analysis.diagnosis import QUICK, diagnose
from thinktime.analysis.statistics.bootstrap import UNKNOWN, Estimate
from thinktime.analysis.studies.logs import runs
from thinktime.analysis.studies.logs.findings import findings, per_decade
from thinktime.analysis.studies.logs.runs import Fit, Fitted, Row, Run
from thinktime.analysis.studies.logs.study import WHOLE, Evidence, LogsStudy, name_of, read
from thinktime.analysis.study.answer_data import answer_type, dumped, loaded
from thinktime.analysis.study.base import StudiedLog
from thinktime.users.office_log import made_up_log
from thinktime.workloads import Header, write_swf
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.trace import Trace

NEW_YEAR = 1_072_911_600  # 2004-01-01 00:00 in Stockholm, 2003-12-31 23:00 in UTC


def log(submit: list[float], users: list[int] | None = None, **header: object) -> Trace:
    """Jobs of a minute at these times."""
    columns = {
        "submit": submit, "runtime": [60] * len(submit), "wait": [0] * len(submit), "allocated": [1] * len(submit),
    }  # fmt: skip
    return Trace({**columns, "user": users or [1] * len(submit)}, Header.build(**header) if header else None)


def row(year: int, jump: float, half: float = 0.02, **more: object) -> Row:
    """A log of one year whose users wait, with intervals of this half length."""
    given = Row(
        (year, year), 5000, 9, 64, 60.0, Estimate(jump, jump - half, jump + half), 0.45, Estimate(0.3, 0.2, 0.4)
    )
    gains = {"clock_gain": Estimate(0.1, 0.05, 0.15), "wait_gain": Estimate(0.02, 0.0, 0.04)}
    gains |= {"wait_gain_null": Estimate(0.01, 0.0, 0.02), "self_test": Estimate(0.7, 0.6, 0.8)}
    return replace(given, **gains | more)


REACTING = row(
    1996,
    0.8,
    reactions=Reactions(
        reacting_users=0.75, reacting_batches=0.5, waiting_users=0.12, outstanding=Estimate(0.4, 0.3, 0.5),
        after_end=Estimate(16, 12, 20), by_response=Estimate(1.5, 1.0, 2.0), reaction_gain=0.351,
    ),
)  # fmt: skip


def test_calendar_years_are_those_of_the_machine() -> None:
    """New Year's is at midnight where the machine was; a log that does not say when it was has no years."""
    times = [0.0, 1799.0, 1800.0, 1800.0 + 366 * 86_400]
    swedish = log(times, UnixStartTime=NEW_YEAR - 1800, TimeZoneString="Europe/Stockholm")
    assert runs.years_of(swedish).tolist() == [2003, 2003, 2004, 2005]
    assert runs.years_of(log(times, UnixStartTime=NEW_YEAR - 1800)).tolist() == [2003, 2003, 2003, 2004]
    assert runs.years_of(log([NEW_YEAR + 7200.0])).tolist() == [2004]
    assert len(runs.years_of(log(times))) == 0


def test_years_with_enough_jobs_have_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """There must be two of them, or the log is enough."""
    monkeypatch.setattr(runs, "LEAST_OF_YEAR", 2)
    made = log([0, 1, 2000, 2001, 2002, 366 * 86_400 + 1800], UnixStartTime=NEW_YEAR + 1800)
    assert {year: len(part) for year, part in runs.parts(made).items()} == {2003: 2, 2004: 3}
    assert runs.parts(log([0, 1, 2000], UnixStartTime=NEW_YEAR + 1800)) == {}


def test_logs_of_which_nothing_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is a note, and there are no numbers."""
    few = Run(log([0.0, 1.0], [1, 2]), 1).perform()
    assert few.notes == ("2 jobs are too few",) and not few.measured and few.jobs == 2
    monkeypatch.setattr(runs, "LEAST_JOBS", 2)
    assert Run(log([0.0, 1.0], [-1, -1]), 1).perform().notes == ("users are not known",)
    assert Run(log([0.0, 1.0], [-1, 5]), 1).perform().notes == ("one user is too few",)
    assert Run(log([0.0, 1.0], [1, 2]).with_columns(wait=[np.nan] * 2), 1).perform().notes == ("waits are not known",)


def test_logs_to_which_no_users_can_be_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is a note, and there are no numbers."""
    monkeypatch.setattr(runs, "LEAST_JOBS", 3)
    users, few = [1, 1, 2], [0.0, 4000.0, 8000.0]
    for made, why in (
        (log(few[:2], users[:2]), "2 jobs are too few"),
        (log(few, [-1] * 3), "users are not known"),
        (log(few, [7] * 3), "one user is too few"),
        (log(few, users).with_columns(wait=[np.nan] * 3), "waits are not known"),
        (
            log(few, users),
            "no users can be fitted: users submit again only 1 times in this log, and a fit needs 10 times",
        ),
    ):
        found = Fit(made, 1).perform()
        assert repr(found) == repr(Fitted(Reactions(), (why,)))


def test_a_reason_is_said_once() -> None:
    """Though it is why neither users can be measured nor any be fitted to them."""
    study = LogsStudy(logs=[StudiedLog("a/x.swf", log([0.0, 1.0], [1, 2]))])
    assert study.run().rows["x", WHOLE].notes == ("2 jobs are too few",)


@pytest.fixture(scope="module", name="office")
def weeks_of_an_office() -> Trace:
    """Six weeks of users who wait for results."""
    return made_up_log(weeks=6, users=8)


@pytest.fixture(scope="module", name="measured")
def quick_row(office: Trace) -> Row:
    """What a quick study says of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "LEAST_JOBS", 100)
        patch.setattr(runs, "MOST_JOBS", len(office) - 5)
        return Run(office, 3, quick=True).perform()


def test_a_row_is_the_diagnosis(office: Trace, measured: Row) -> None:
    """Numbers are those of `diagnose`, of the first jobs of a longer log, on the processors in use at once."""
    first = office.select(np.arange(len(office)) < len(office) - 5)
    size = measured.processors
    found = diagnose(first, size, seed=3, **QUICK)
    assert measured.jump == found.value("jump") and measured.over_placebo == found.excess
    assert measured.clock_gain == pytest.approx(found.value("clock_gain"), nan_ok=True)
    assert measured.wait_gain_null == pytest.approx(found.null("wait_gain"), nan_ok=True)
    assert measured.self_test == pytest.approx(found.self_test.ratio, nan_ok=True)
    assert measured.null == pytest.approx(found.null("jump").value, nan_ok=True) and measured.trust == found.trust.modes
    assert measured.notes[0] == f"the first {len(office) - 5:,} of {len(office):,} jobs"
    if office.machine_size is None:
        assert size == runs.in_use(first)


def test_reactions_are_those_of_fitted_users(office: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are those of `reactions` for users of the first jobs; these users wait, so an end makes them come."""
    asked: list[tuple[Trace, Users]] = []

    def calibrated(log: Trace, score: bool) -> Users:
        asked.append((log, tt.calibrate(log, score=score)))
        return asked[-1][1]

    monkeypatch.setattr(runs, "LEAST_JOBS", 100)
    monkeypatch.setattr(runs, "QUICK_JOBS", 200)
    monkeypatch.setattr(runs, "calibrate", calibrated)
    fitted = Fit(office, 3, quick=True).perform()
    ((first, users),) = asked
    assert first.id.tolist() == office.id[:200].tolist()
    assert repr(fitted.reactions) == repr(reactions(first, users, 3, runs.QUICK_HAZARDS))
    assert fitted.notes == (f"users are fitted to the first 200 of {len(office):,} jobs",)
    assert fitted.reactions.after_end.low > 1 > fitted.reactions.outstanding.high
    kind = answer_type(Fit(office, 3))
    assert repr(loaded(dumped(fitted, kind), kind)) == repr(fitted)


def test_processors_in_use_by_hand() -> None:
    """Three jobs of a minute, of which two overlap; one begins as another ends."""
    assert runs.in_use(log([0, 30, 60])) == 2


def test_a_row_comes_back(measured: Row) -> None:
    """As an answer that is kept, and from the object of --json."""
    for each in (measured, REACTING, row(1996, 0.7), Row((0, 0), 3, 1, 0, notes=("too few",))):
        again = loaded(dumped(each, answer_type(Run(log([0.0]), 1))), answer_type(Run(log([0.0]), 1)))
        assert repr(again) == repr(each)
        study = LogsStudy(kept=True)
        values = json.loads(study.report(Evidence({("a", WHOLE): each})).json)["logs"]["a"]
        assert repr(Row.of({name: value for name, value in values.items() if name != "by_year"})) == repr(each)


def test_the_slope_is_that_of_a_straight_line() -> None:
    """Value and interval agree with those of another program; fewer than four logs, or one year, give none."""
    years, values = [1994.5, 1996.5, 1999, 2003, 2011.5, 2013], [0.79, 0.79, 0.72, 0.77, 0.69, 0.78]
    fit = stats.linregress(years, values)
    half = stats.t.ppf(0.975, 4) * fit.stderr
    assert per_decade(years, values, 0.95) == pytest.approx(
        [10 * fit.slope, 10 * (fit.slope - half), 10 * (fit.slope + half)]
    )
    assert per_decade(years, values).width > 1.5 * per_decade(years, values, 0.95).width  # five slopes at once
    assert per_decade([*years, np.nan, 2000], [*values, 0.5, np.nan]) == per_decade(years, values)
    for bad in (([1996, 2000, 2004], [1, 2, 3]), ([2000] * 5, [1, 2, 3, 4, 5])):
        assert per_decade(*bad) is UNKNOWN


def evidence(*rows: Row, years: tuple[Row, ...] = ()) -> Evidence:
    """Logs, of which the first has these years."""
    whole = {(f"log {place}", WHOLE): each for place, each in enumerate(rows)}
    return Evidence(whole | {("log 0", each.years[0]): each for each in years})


def test_changes_are_seen_only_beyond_chance() -> None:
    """A jump that falls from log to log has changed; one that goes up and down may have, and nobody can say."""
    falling = [row(1995 + 5 * k, 0.9 - 0.05 * k + 0.002 * (-1) ** k) for k in range(6)]
    waiting, jump, *others, within = findings(evidence(*falling))
    assert waiting.seen is True and waiting.ours == "6 of 6 logs"
    assert jump.seen is True and jump.ours.startswith("-0.1")
    assert within.seen is None and all(each.seen is not True for each in others)
    scattered = [row(1995 + 5 * k, value) for k, value in enumerate((0.9, 0.7, 0.85, 0.8, 0.72, 0.88))]
    assert list(findings(evidence(*scattered)))[1].seen is None
    assert [each.seen for each in findings(evidence(*falling[:3]))][1] is None


def test_users_who_do_not_wait() -> None:
    """One log whose jump is below chance refutes that all users wait; one that is uncertain leaves it open."""
    sure, no, unsure = row(2000, 0.8), row(2010, 0.4), row(2010, 0.52, 0.1)
    assert [next(findings(evidence(*rows))).seen for rows in ((sure, sure), (sure, no), (sure, unsure))] == [
        True, False, None,
    ]  # fmt: skip


def test_years_of_a_machine() -> None:
    """The first and the last year differ if their intervals do not meet, and most machines must agree."""
    for numbers, said in (((0.8, 0.7), "0 up, 1 down"), ((0.7, 0.9), "1 up, 0 down"), ((0.8, 0.79), "0 up, 0 down")):
        years = tuple(row(1996 + k, number) for k, number in enumerate(numbers))
        jump, *of_fitted = list(findings(evidence(row(1996, 0.8), years=years)))[-3:]
        assert jump.ours.startswith(said) and jump.seen is (True if "1" in said else None)
        assert all(each.seen is None and each.ours == "–" for each in of_fitted)
        factors = [Reactions(outstanding=each.jump) for each in years]
        years = tuple(row(1996 + k, 0.8, reactions=each) for k, each in enumerate(factors))
        jump, outstanding, after_end = list(findings(evidence(row(1996, 0.8), years=years)))[-3:]
        assert outstanding.ours.startswith(said) and jump.ours.startswith("0 up, 0 down") and after_end.ours == "–"


def test_factors_of_logs_are_compared_by_logarithms() -> None:
    """One that grows tenfold in ten years has a slope of ln 10; a hazard of 0 has none and does not count."""
    factors = [0.001 * 10 ** (k / 2) * 1.01 ** (-1) ** k for k in range(6)]
    rows = [row(1995 + 5 * k, 0.8, reactions=Reactions(outstanding=Estimate(each, 0, 9)))
            for k, each in enumerate(factors)]  # fmt: skip
    rows.append(row(2030, 0.8, reactions=Reactions(outstanding=Estimate(0.0, 0.0, 0.1))))
    (found,) = (each for each in findings(evidence(*rows)) if "while a batch is outstanding (log" in each.says)
    assert found.seen is True and float(found.ours.partition(" ")[0]) == pytest.approx(np.log(10), abs=0.02)


def test_the_page_says_what_is_missing() -> None:
    """A row for each log and year in each table, then verdicts and notes."""
    study, found = LogsStudy(kept=True), evidence(REACTING, Row((0, 0), 3, 1, 0, notes=("3 jobs are too few",)),
                                                  years=(row(1996, 0.8), row(1997, 0.7)))  # fmt: skip
    waits, _, modes, _, fitted, _, verdicts, *texts = study.report(found).page()
    for each in (waits, modes, fitted):
        assert [cells[0] for cells in each.rows] == ["log 0", "  1996", "  1997", "log 1"]
    assert fitted.rows[0][1:] == (
        "75%", "50%", "12%", "0.4 [0.3, 0.5]", "16 [12, 20]", "1.5 [1, 2]", "–", "+0.35",
    )  # fmt: skip
    assert set(fitted.rows[-1][1:]) == {"–"}
    assert waits.rows[0][1:4] == ("1996", "64", "5,000") and waits.rows[-1][4:] == ("–", "–", "–")
    assert len(verdicts.rows) == 12 and texts[0] == "log 1: 3 jobs are too few."
    assert "of fitted users 80 %" in texts[-1]


def test_what_is_kept_can_be_shown() -> None:
    """The package's own rows are of at least six machines from 1994 to 2013, measured alike."""
    whole = read().whole()
    measured = [each for each in whole.values() if each.measured]
    assert len(measured) >= 6 and min(each.middle for each in measured) < 1997
    assert max(each.middle for each in measured) > 2012
    assert all(each.reactions.after_end.low > 1 > each.reactions.outstanding.high for each in measured)
    study = LogsStudy(kept=True)
    assert (
        not study.tasks()
        and len(list(study.report(study.run()).page())) > 5
        and "logs" in study.report(study.run()).figures()
    )


def test_names() -> None:
    """Logs of the same name are told apart."""
    made = log([0.0])
    study = LogsStudy(
        logs=[StudiedLog("a/x.swf", made), StudiedLog("b/x.swf.gz", made), StudiedLog("sacct:m.txt", made)]
    )
    assert [name for name, _, asked in study.tasks() if asked == "signs"] == ["x", "x (2)", "m (sacct)"]
    assert [name for name, _, asked in study.tasks() if asked == "users"] == ["x", "x (2)", "m (sacct)"]
    assert name_of("my.toml:jobs.csv") == "jobs (my)"


def test_the_command(tmp_path: Path, office: Trace, monkeypatch: pytest.MonkeyPatch, capsys: object) -> None:
    """It takes several logs, resumes, and says in one sentence what is wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs, "LEAST_JOBS", 10**6)  # so that nothing is measured
    write_swf(office, "office.swf")
    words = ["study", "logs", "office.swf", "office.swf", "--quick", "--workers", "1", "--quiet", "--json"]
    first = stdout_of(*words, "--out", "found")  # type: ignore[attr-defined]
    assert list(json.loads(first)["logs"]) == ["office", "office (2)"]
    assert json.loads((tmp_path / "found" / "study.json").read_text()) == json.loads(first)

    def measured(run: Run) -> Row:
        pytest.fail("measured again")

    def fitted(fit: Fit) -> Fitted:
        pytest.fail("fitted again")

    monkeypatch.setattr(Run, "perform", measured)
    monkeypatch.setattr(Fit, "perform", fitted)
    again = LogsStudy(logs=[StudiedLog(name, tt.read_swf("office.swf")) for name in ("office.swf",) * 2], quick=True)
    assert again.run(folder=tmp_path / "found").rows.keys() == {("office", WHOLE), ("office (2)", WHOLE)}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "study logs needs logs (PATH); --kept shows what is known of public ones"),
        (["x.swf", "--kept"], "there is no file x.swf"),
        (["--kept", "--seed", "-1"], "invalid value for '--seed'"),
    ],
)
def test_errors(words: list[str], sentence: str, capsys: object) -> None:
    """One sentence, and status 2."""
    assert sentence in refusal_of("study", "logs", *words)  # type: ignore[attr-defined]
