"""Half of a log foretells the other half: what is known of that, how modes read pauses, and what is said of logs."""

from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.commands import refusal_of
from thinktime.analysis.studies.calibrated import foretold
from thinktime.analysis.studies.calibrated.foretold import Row
from thinktime.analysis.studies.calibrated.halves import FORETOLD, WAYS, Answer, Run, halves
from thinktime.analysis.studies.calibrated.pauses import batches_of, recorded_pauses, rule_of
from thinktime.analysis.studies.calibrated.study import CalibratedStudy, Evidence
from thinktime.analysis.study.base import StudiedLog
from thinktime.users import made_up_log
from thinktime.users.think_times import Pause

PROCESSORS = 20
MINUTE, HOUR, DAY = tt.MINUTE, tt.HOUR, tt.DAY


@pytest.fixture(scope="module", name="log")
def small_log():
    """Three weeks of six users."""
    return made_up_log(weeks=3, users=6)


def jobs(submit, wait, runtime, user):
    """A log of jobs of one processor."""
    columns = {"submit": submit, "wait": wait, "runtime": runtime, "user": user, "allocated": [1] * len(user)}
    return tt.Trace({name: np.array(values, float if name != "user" else int) for name, values in columns.items()})


def test_halves_and_what_is_there_at_the_cut():
    """The cut is in the middle of the time; what runs there goes on for as long as is left, before what waits."""
    first, other = halves(jobs([0, 10, 20, 100], [0, 5, 45, 0], [10, 75, 10, 10], [1, 2, 1, 2]))
    assert (first.begin, first.end, other.end) == (0, 50.5, 101)
    assert first.jobs.submit.tolist() == [0, 10, 20] and other.jobs.submit.tolist() == [100]
    assert other.there.submit.tolist() == [50.25, 50.5]
    assert other.there.runtime.tolist() == [75 - 35.5, 10]


@pytest.mark.parametrize("way", [*FORETOLD[1:], "told"])
def test_the_other_half_is_not_looked_at(way, log):
    """With other waits there, and other submissions after first batches, forecasts are the same; told times are not."""
    half = halves(log)[1]
    jobs, rng, batches = half.jobs, np.random.default_rng(0), batches_of(half.jobs)
    moved = batches.before()[batches.of_job] >= 0
    submit = np.where(moved, jobs.submit + 3 * HOUR + MINUTE * jobs.user, jobs.submit)
    columns, order = jobs.columns | {"submit": submit, "wait": rng.permutation(jobs.wait)}, np.argsort(submit)
    other = tt.Trace({name: values[order] for name, values in columns.items()}, jobs.header)
    run, spans = Run(log, PROCESSORS, way, 1), [(half.begin, half.end + DAY)]
    found = [run._played(half._replace(jobs=each), 0, spans) for each in (jobs, other)]
    assert (found[0] == found[1]) == (way != "told")


def test_pauses_by_hand():
    """A pause is since the last submission and since the last end, if no job is left by then."""
    log = jobs([0, 30, 1000, 1500], [0, 0, 100, 0], [200, 100, 300, 10], [7, 7, 7, 7])
    first, second = recorded_pauses(log)[7]
    assert first == (1, 0, 970, 200, 800, 200)
    assert second == (2, 0, 500, 1400, 100, 400)
    close = jobs([0, 1000, 1200], [0, 100, 0], [200, 300, 10], [7, 7, 7])
    _, overlapping = recorded_pauses(close)[7]
    assert overlapping.gap == 200 and np.isnan(overlapping.end) and overlapping.think_time == -200


def test_modes_read_a_break_in_their_ways(log):
    """After an end that comes six hours later: as long, at the same time of day, as recorded, or when jobs are over."""
    pauses = [each for own in recorded_pauses(log).values() for each in own]
    one = next(each for each in pauses if each.end == each.end and 10 * HOUR < each.think_time < 20 * HOUR)
    end, last = one.end + 6 * HOUR, one.end + one.think_time - one.gap
    pause = Pause(one.batch, one.owner, end, 60.0, one.think_time, one.end, one.response, one.think_time)
    comes = {mode: rule_of(mode, log)(pause, one.gap, last) for mode in ("feedback", "clock", "partly-open")}
    back = one.end + one.think_time
    assert comes["feedback"] == back + 6 * HOUR
    assert comes["partly-open"] == back
    assert (comes["clock"] - back) % DAY == pytest.approx(0)


def test_a_row_by_hand():
    """Twice the wait in each week of one draw; corrected by half, since the mode has twice the wait before."""
    answer = Answer(10, 300.0, 600.0, (100.0, 500.0), ((200.0, 1000.0), (200.0, 1000.0)))
    row = foretold.row_of("a log", "open", answer)
    assert (row.error, row.corrected, row.bias, row.held) == pytest.approx((np.log(2), 0.0, 0.0, 1.0))
    short = foretold.row_of("a log", "open", answer._replace(recorded=(0.0, 500.0), draws=((30.0, 1000.0),)))
    assert short.error == pytest.approx(np.log(2) / 2)
    assert np.isnan(short.held)


def test_what_is_said_of_logs(tmp_path):
    """Over logs, geometric means; the nearest mode, of those that are forecasts; and rows are read as they were."""
    rows = [
        Row(log, mode, 10, 2, 1.0, error, 0.0, float("nan"))
        for log, errors in {"a": (0.1, 0.2, 0.0), "b": (0.4, 0.2, 0.0)}.items()
        for mode, error in zip(("open", "calibrated", "told"), errors, strict=True)
    ]
    assert foretold.over_logs(rows, "open").factor == pytest.approx(np.exp(0.25))
    assert foretold.beside(rows, "open").factor == pytest.approx(np.exp(-0.05))
    assert foretold.nearest(rows) == {"a": "open", "b": "calibrated"}
    file = tmp_path / "logs.csv"
    CalibratedStudy().report(Evidence([], rows)).write(tmp_path, None)
    assert repr(foretold.read(file)) == repr(rows)


def test_the_study_of_a_log(log):
    """Every mode foretells each log, and the page has a row for each."""
    study = CalibratedStudy(log=(StudiedLog("logs/office.swf", log),), processors=PROCESSORS, quick=True)
    tasks = study.tasks()
    assert list(tasks) == [("log", "office", way) for way in WAYS]
    found = study.gather({key: tasks[key].perform() for key in tasks if key[2] in ("no change", "told", "generative")})
    assert {each.weeks for each in found.logs} == {1}
    page = list(study.report(found).page())
    assert [cells[0] for cells in page[0].rows] == ["no change", "generative", "told"]


def test_logs_that_cannot_be_foretold(tmp_path: Path, log):
    """A log without waits or users, one that is too short, and options of worlds get a sentence each."""

    def refused(**columns):
        return refusal_of("study", "calibrated", "--processors", "20", "--log", written(log.with_columns(**columns)))

    def written(trace):
        file = tmp_path / "log.swf"
        tt.write_swf(trace, file)
        return str(file)

    assert "no waits" in refused(wait=np.full(len(log), np.nan))
    assert "who submitted" in refused(user=np.full(len(log), -1))
    assert "no week of 30 jobs" in refused(submit=log.submit / 100)
    with pytest.raises(ValueError, match="leave out --families"):
        CalibratedStudy(log=(StudiedLog("a", log),), worlds=2)
