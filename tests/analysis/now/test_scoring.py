"""Scores of forecasts, against their definitions and by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.analysis.now.kept import Kept, kept
from thinktime.analysis.now.outlook import SHARES
from thinktime.analysis.now.score_figure import calibration
from thinktime.analysis.now.scoring import OURS, crps, score
from thinktime.analysis.statistics import UNKNOWN

INF, NAN = np.inf, np.nan


def _kept(starts: Any, time: float = 1000.0, **columns: Any) -> Kept:
    starts = np.asarray(starts, np.float64)
    n = starts.shape[1]
    given: dict[str, Any] = {
        "time": time, "until": time + 10_000, "unix": NAN, "label": np.arange(1, n + 1).astype(str),
        "submit": np.full(n, time - 100), "processors": np.ones(n, int), "limit": np.full(n, 3600.0), "starts": starts,
        "by_limits": np.full(n, time + 500), "promised": np.full(n, NAN),
    }  # fmt: skip
    return Kept(**given | columns)


def _log(starts: list[float], submit: float = 900.0, more: int = 0) -> tt.Trace:
    """The jobs that are forecast, numbered from 1, and others before them that waited for 50 s each."""
    n = len(starts)
    columns = {
        "id": [*range(1, n + 1), *range(100, 100 + more)], "submit": [submit] * n + [float(k) for k in range(more)],
        "wait": [each - submit for each in starts] + [50.0] * more, "runtime": [10.0] * (n + more),
        "allocated": [1] * (n + more), "requested_time": [3600.0] * (n + more),
    }  # fmt: skip
    return tt.Trace(columns)


def test_crps_is_its_definition() -> None:
    """E|X - y| - E|X - X'| / 2 over all pairs, without the draws in which the job left."""
    rng = np.random.default_rng(1)
    draws = rng.exponential(100.0, (9, 5))
    draws[2, 3] = draws[5, 3] = NAN
    truth = rng.exponential(100.0, 5)
    for place, found in enumerate(crps(draws, truth).tolist()):
        x = draws[:, place][~np.isnan(draws[:, place])]
        pairs = np.abs(x[:, None] - x).mean()
        assert found == pytest.approx(np.abs(x - truth[place]).mean() - pairs / 2)
    assert crps(np.full((4, 1), 7.0), np.array([10.0])).tolist() == [3.0], "of one time it is the absolute error"


def test_by_hand() -> None:
    """Two jobs: one in the middle of its draws, one later than all; a third is not in the log, a fourth left."""
    draws = np.array([[1100.0, 1200.0, 1150.0, NAN]] * 5)
    draws[:, 0] += np.arange(5) * 10
    found = score([_kept(draws)], _log([1120.0, 4000.0]))
    assert (len(found), found.forecasts, found.left) == (2, 1, 2)
    assert [found.covered[share].tolist() for share in SHARES] == [[True, False]] * 3
    assert found.methods[OURS].error.tolist() == [0.0, 2800.0]
    assert found.within() == {"1 min": 0.5, "10 min": 0.5, "60 min": 1.0}
    assert found.methods["by limits"].crps.tolist() == [abs(1500 - 1120), abs(1500 - 4000)]
    assert found.by_horizon()["below 10 min"] == (1, 0.0)
    assert found.by_horizon()["10 min to 1 h"] == (1, 2800.0)
    assert [each.value for each in found.coverage_by_horizon(0.8).values()][:2] == [1.0, 0.0]
    assert found.coverage_by_horizon(0.8)["more"] is UNKNOWN
    assert 1 / 6 < found.pit[0] < 4 / 6
    assert found.pit[1] > 5 / 6


def test_the_scheduler_itself_is_a_baseline() -> None:
    """What the site says counts instead of our reckoning by limits, where it says something."""
    one = _kept([[1100.0, 1100.0]] * 3, promised=np.array([1111.0, NAN]))
    found = score([one], _log([1120.0, 1120.0]))
    assert found.methods["site says"].error.tolist() == [9.0, 380.0]


def test_past_waits_are_those_of_longer_waits() -> None:
    """All jobs of the past waited for 50 s; one that has waited for 100 s has no like, so it starts at once."""
    found = score([_kept([[1100.0]] * 3)], _log([1120.0], more=30))
    assert found.methods["mean past wait"].error.tolist() == [120.0]
    new = _kept([[1100.0]] * 3, submit=np.array([990.0]))
    assert score([new], _log([1120.0], 990.0, 30)).methods["mean past wait"].error.tolist() == [80.0]


def test_a_start_after_the_horizon_is_at_it() -> None:
    """Draws and truth beyond the horizon agree."""
    found = score([_kept([[INF]] * 3)], _log([50_000.0]))
    assert found.methods[OURS].crps.tolist() == [0.0]
    assert found.covered[0.5].all()


def test_right_forecasts_cover_and_have_the_least_crps() -> None:
    """If truth is drawn from the forecast, intervals hold their shares, PIT is uniform, and wider ones score worse."""
    rng = np.random.default_rng(2)
    series, truth, wide = [], [], []
    for day in range(40):
        time, n = day * 86_400.0 + 1000.0, 25
        scale = rng.exponential(2000.0, n)
        ids = np.arange(1 + day * n, 1 + day * n + n).astype(str)
        draws = time + rng.exponential(scale, (99, n))
        truth += (time + rng.exponential(scale)).tolist()
        series.append(_kept(draws, time, label=ids, until=INF))
        wide.append(_kept(time + 3 * (draws - time), time, label=ids, until=INF))
    log = tt.Trace({"submit": np.zeros(1000), "wait": truth, "runtime": np.ones(1000), "allocated": np.ones(1000, int)})
    found, worse = score(series, log), score(wide, log)
    for share in SHARES:
        estimate = found.coverage(share)
        assert abs(estimate.value - share) < 4 * np.sqrt(share * (1 - share) / 1000)
        assert estimate.low < share < estimate.high
    assert np.abs(np.sort(found.pit) - (np.arange(1000) + 0.5) / 1000).max() < 1.63 / np.sqrt(1000) + 0.01
    assert found.crps().value < worse.crps().value
    assert len(calibration(found).axes) == 2


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    """The file of a forecast has what is scored; what is no such file is refused with a sentence."""
    one = _kept([[1100.0, INF], [1200.0, NAN]])
    np.savez_compressed(tmp_path / "starts.npz", version=1, **vars(one))
    again = kept(tmp_path)
    for name, value in vars(one).items():
        assert np.array_equal(getattr(again, name), value, equal_nan=name != "label"), name
    whole = (tmp_path / "starts.npz").read_bytes()
    for content in (b"", b"nothing", whole[:200], whole[:-60]):
        (tmp_path / "starts.npz").write_bytes(content)
        with pytest.raises(ValueError, match="is damaged"):
            kept(tmp_path)
    np.savez_compressed(tmp_path / "starts.npz", version=2, **vars(one))
    with pytest.raises(ValueError, match="another version"):
        kept(tmp_path)
    (tmp_path / "starts.npz").unlink()
    with pytest.raises(ValueError, match=r"has no starts.npz"):
        kept(tmp_path)


def test_clocks_of_forecast_and_log_may_differ() -> None:
    """By Unix times, a forecast of another clock is of the same jobs at the same moment."""
    log = _log([1120.0]).with_header(tt.Trace({"submit": [0]}).header.set("UnixStartTime", 1_000_000))
    one = _kept([[6100.0]] * 3, 6000.0, unix=1_001_000.0, submit=np.array([5900.0]), by_limits=np.array([6500.0]))
    assert score([one], log).methods[OURS].error.tolist() == [20.0]


def test_nothing_to_score_is_said() -> None:
    """A log without the jobs, or no forecast, is one sentence."""
    with pytest.raises(ValueError, match="no job that waited"):
        score([_kept([[1100.0]])], _log([10.0]).with_columns(id=[77]))
    with pytest.raises(ValueError, match="there is no forecast"):
        score([], _log([10.0]))
