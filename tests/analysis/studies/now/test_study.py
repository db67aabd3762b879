"""The study of forecasts: its evidence by hand, and one world."""

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.studies.now import logs
from thinktime.analysis.studies.now.figures import figures
from thinktime.analysis.studies.now.findings import findings
from thinktime.analysis.studies.now.runs import KNOWN, METHODS, Answer, Run
from thinktime.analysis.studies.now.study import Evidence, NowStudy
from thinktime.analysis.studies.now.tables import report
from thinktime.analysis.study import StudiedLog


def _answer(right: bool, forecasts: int = 60, jobs: int = 3) -> Answer:
    """Forecasts of some jobs each, with even PIT values if they are right; the others see all starts too early."""
    n = forecasts * jobs
    rng = np.random.default_rng(5)
    pit = rng.permutation((np.arange(n) + 0.5) / n)
    pit = pit if right else pit**3
    covered = np.array([np.abs(pit - 0.5) < share / 2 for share in (0.5, 0.8, 0.95)], np.float64)
    crps = np.outer([1.0 if right else 9.0, 5.0, 6.0, 7.0], np.full(n, 60.0))
    which, ahead = np.repeat(np.arange(forecasts), jobs).astype(np.float64), np.linspace(1.0, 20_000.0, n)
    return Answer(METHODS, "easy", forecasts + 1, forecasts, which, ahead, pit, covered, crps, crps)


def test_right_forecasts_are_seen_to_be_right() -> None:
    """All that is looked for is seen of forecasts that are right, and none of others."""
    right, wrong = (Evidence({("campaign", 1): _answer(each)}, 1) for each in (True, False))
    assert [each.verdict for each in findings(right)] == ["seen"] * (5 + len(METHODS) - 1)
    assert {each.verdict for each in findings(wrong)} == {"NOT seen"}


def test_each_forecast_counts_once() -> None:
    """A forecast of many jobs that are all too late does not hide nine of one job each that are right."""
    pit = np.append((np.arange(9) + 0.5) / 9, np.full(91, 0.999))
    which = np.append(np.arange(9), np.full(91, 9)).astype(np.float64)
    flags, times = np.ones((3, 100)), np.ones((len(METHODS), 100))
    found = Evidence({("campaign", 1): Answer(METHODS, "easy", 10, 10, which, which, pit, flags, times, times)}, 1)
    distance, bound = found.distance()
    assert distance == pytest.approx(0.1 + 0.5 / 9 - 0.005, abs=0.01)
    assert bound == pytest.approx(1.36 / 10**0.5)


def test_one_job_of_each_forecast_counts() -> None:
    """Jobs of one forecast depend on each other: for the binomial, there are as many as forecasts."""
    two = Evidence({("campaign", 1): _answer(True), ("linear", 1): _answer(True, 10)}, 1)
    hold, count = two.one_each(0.8)
    assert count == two.forecasts == 70
    assert 0 < hold < count
    assert len(np.unique(two.clusters())) == 70
    assert two.coverage(0.8).mean == pytest.approx(0.8, abs=0.02)
    assert two.crps("by limits").mean == 300.0
    assert two.above("by limits", "linear").mean == 240.0
    told = report(two)
    assert told.values()["families"]["all"]["jobs"] == 210
    assert told.values()["families"]["all"]["within"]["thinktime"] == {"1 min": 1.0, "10 min": 1.0, "60 min": 1.0}
    assert len(list(told.page())) == 8
    spans = two.by_horizon("linear")
    assert list(spans) == ["below 10 min", "10 min to 1 h", "1 h to 6 h"]
    assert sum(count for count, _, _ in spans.values()) == 30
    assert spans["below 10 min"][2]["past waits"] == 360.0


def test_a_world_is_forecast() -> None:
    """One forecast of one world: starts are later than now, and all methods are scored on the same jobs."""
    found = Run("campaign", 1, 30, 1, 5, 1).perform()
    assert found.forecasts == 1
    assert found.crps.shape == found.error.shape == (len(METHODS), len(found.pit))
    assert (found.crps >= 0).all()
    assert ((found.pit > 0) & (found.pit < 1)).all()
    assert len(found.pit) > 0


def test_worlds_in_which_no_job_waits_are_said() -> None:
    """An empty evidence is refused with a sentence."""
    found = Run("campaign", 1, 2, 1, 3, 1).perform()
    with pytest.raises(ValueError, match="no job waited"):
        NowStudy().gather({("campaign", 1): found})
    assert len(NowStudy(quick=True).tasks()) == 4


def _log(policy: str = "easy:order=sjf") -> tt.Trace:
    """Nine days of a machine of 8 processors that is full most of the time, under a policy."""
    rng = np.random.default_rng(8)
    n = 400
    runtime = rng.integers(60, 9000, n)
    log = tt.Trace(
        {"submit": np.sort(rng.integers(0, 9 * tt.DAY, n)), "runtime": runtime, "allocated": rng.integers(1, 7, n),
         "requested_time": 2 * runtime, "user": rng.integers(1, 9, n)}
    )  # fmt: skip
    log = log.with_columns(wait=tt.run(tt.MachineSpec(8, policy), log)["start"] - log.submit)
    assert logs.size_of(log) == 8, "all of them were in use at once"
    return log


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are fitted at few moments."""
    monkeypatch.setattr(logs, "FITTED", 3)


@pytest.mark.usefixtures("few")
def test_the_rule_of_a_log_is_found() -> None:
    """If the log was recorded under one of the rules, nothing is off under it, and it is taken."""
    log = _log()
    assert logs.misfit(log, "easy:order=sjf") == 0.0
    assert logs.misfit(log, "none") > 60.0
    assert logs.rule_of(log) == "easy:order=sjf"


@pytest.mark.usefixtures("few")
def test_a_log_is_forecast() -> None:
    """Moments are of the second half; where the rule is that of the log, knowing the rest leaves no error."""
    log = _log()
    times = logs.moments(log, 5)
    assert len(times) == 5
    assert min(times) >= log.submit.mean() // logs.APART * logs.APART
    assert max(times) <= log.submit[-1] - logs.UNTIL
    found = logs.LogRun(log, tuple(times[::2]), 5, 1).perform()
    assert (found.rule, found.moments) == ("easy:order=sjf", 3)
    assert found.methods == (*METHODS, KNOWN)
    assert (found.crps[-1] == 0).all()
    assert found.crps[0].mean() > 0
    evidence = NowStudy(logs=(StudiedLog("a.swf", log),)).gather({("a", 0): found})
    assert list(figures(evidence)) == ["logs"]
    text = [each for each in report(evidence).page() if isinstance(each, str)]
    assert any("under easy:order=sjf" in line for line in text)


def test_jobs_that_something_else_holds_are_counted() -> None:
    """By hand: one of two processors is busy, and the oldest job needs the other; from 7 d on, it needs both."""
    log = tt.Trace(
        {"submit": [0, 0, 6 * tt.DAY, 8 * tt.DAY + 100], "wait": [0, 7 * tt.DAY, 2 * tt.DAY, 0],
         "runtime": [8 * tt.DAY, 9, 9, 9], "allocated": [1, 1, 2, 1]}
    )  # fmt: skip
    assert logs.size_of(log) == 2
    assert logs.moments(log)[-1] == 7 * tt.DAY
    assert logs.held(log) == (12, 11)


def test_parts_of_logs_are_of_the_whole_half() -> None:
    """Each task has moments of the whole half, so that those that are done first are spread evenly, too."""
    study = NowStudy(logs=(StudiedLog("logs/a-cln.swf.gz", _log().with_columns()),), moments=12)
    first, second = study.tasks().values()
    assert isinstance(first, logs.LogRun) and isinstance(second, logs.LogRun)
    assert sorted([*first.times, *second.times]) == logs.moments(first.log, 12)
    assert list(study.tasks()) == [("a", 0), ("a", 1)]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("a.swf", "b/a.swf"), "two logs are called a"),
        (("short.swf",), r"short\.swf: the log is too short"),
        (("sub.swf",), r"sub\.swf: the log has no waits"),
    ],
)
def test_logs_that_cannot_be_forecast(given: tuple[str, ...], sentence: str) -> None:
    """One sentence each."""
    log = tt.Trace({"submit": [0, 1], "wait": [0, 5], "runtime": [5, 5], "allocated": [1, 1]})
    if len(given) > 1:
        log = log.with_columns(submit=[0, 9 * tt.DAY])
    elif given == ("sub.swf",):
        log = log.with_columns(wait=[np.nan, np.nan])
    with pytest.raises(ValueError, match=sentence):
        NowStudy(logs=tuple(StudiedLog(path, log) for path in given)).tasks()
