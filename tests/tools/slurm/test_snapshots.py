"""Forecasts from snapshots of a recording, if there are some beside the tree."""

from pathlib import Path

import pytest

from tools.slurm.model import WITHIN
from tools.slurm.recording import Attempt
from tools.slurm.snapshots import Forecast, Start, forecasts, table

ROOT = Path(__file__).resolve().parents[3]
MEASURED = Path(__file__).parent / "measured"
SITES = "now_shares", "now_limits", "now_arrays", "now_reserved"
"""Of those that were run, the moments that are kept."""
FOLDER = ROOT.parent / "shared" / "slurm_lab" / "snapshot"
PAGE = ROOT / "docs" / "studies" / "slurm.md"


@pytest.fixture(scope="module")
def found() -> list[Forecast]:
    """All of them."""
    if not FOLDER.is_dir():
        pytest.skip("there are no recordings beside the tree")
    return forecasts(FOLDER)


def test_the_page_has_these_figures(found: list[Forecast]) -> None:
    """The lines of the page are what the model says today."""
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    lines = [" ".join(line.split()) for line in table({FOLDER: found}).splitlines()]
    assert len(lines) == 5 and all(line in page for line in lines[2:])


def test_every_start_is_slurms_but_for_lags(found: list[Forecast]) -> None:
    """In a maintenance window, with arrays, limits, dependencies, partitions and a hold: the same nodes, within 1 s."""
    assert [len(each.starts) for each in found] == [36, 32, 28]
    assert all(start.right and start.late <= 1 for each in found for start in each.starts)
    assert all(each.first is None for each in found)


@pytest.mark.parametrize("site", SITES)
def test_it_is_so_at_other_sites(site: str) -> None:
    """Fair shares with a half-life, limits of users, accounts and QOS, arrays, and two nodes that are reserved."""
    (forecast,) = forecasts(MEASURED / site)
    assert len(forecast.starts) >= 16 and all(start.right and start.late <= 1 for start in forecast.starts)
    line = " ".join(table({MEASURED / site: [forecast]}).splitlines()[2].split())
    assert line in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_lags_add_up(found: list[Forecast]) -> None:
    """With true run times alone, starts are earlier than Slurm's, by some seconds in the end."""
    late = [start.really.start - start.forecast[0] for each in found for start in each.starts if start.forecast]
    assert len(late) == 96 and min(late) >= -WITHIN and WITHIN < max(late) <= 8


def test_what_differs_is_told_with_the_log(found: list[Forecast], tmp_path: Path) -> None:
    """The first start elsewhere, or at another time, if any start is not right, with the log around it."""
    one = found[0]
    moved = Start("r6", Attempt("r6", "", 0, 210, 234, ("n3",)), None, (230.0, ("n4",)))
    other = Forecast(one.site, one.name, one.snapshot, (one.starts[0], moved))
    assert other.first is moved and str(moved) == "r6 starts at 210 on n3, here at 230 on n4"
    said = table({FOLDER: [other]}).splitlines()
    assert said[4] == "snapshot, at_70: r6 starts at 210 on n3, here at 230 on n4; Slurm's log:"
    assert sum("sched: Allocate JobId=7 NodeList=n3" in line for line in said) == 1 and len(said) == 11


def test_a_folder_without_snapshots(tmp_path: Path) -> None:
    """One sentence."""
    with pytest.raises(ValueError, match="has no folders of snapshots"):
        forecasts(tmp_path)
