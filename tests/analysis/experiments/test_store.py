"""The folder of results: whole runs or none, the same bytes in whatever order they come."""

import itertools
import sqlite3
from pathlib import Path

import pytest

from thinktime.analysis.experiments.store import Circumstances, Identity, Store, StoredOutcome, transaction
from thinktime.analysis.experiments.sweep_results import Sweep

META = {"thinktime": "1", "scenario": "{}", "parameters": '["n"]', "metrics": '["wait"]', "policies": '["easy"]'}


def outcome(n: int, wait: float | None = 1.5) -> StoredOutcome:
    run = Identity(f"policy=easy n={n} seed=00001", f"digest {n}", "easy", 1, {"n": n})
    how = Circumstances(host="here", pid=n, seconds=0.25, jobs=7)
    return StoredOutcome(run, {"wait": wait}, {"wait": [0.0, float(n)]}, circumstances=how)


def failure(n: int) -> StoredOutcome:
    return StoredOutcome(outcome(n).run, error="ValueError: no", traceback="line 1\nline 2")


def write(folder: Path, *outcomes: StoredOutcome) -> Sweep:
    with Store(folder, META) as store:
        store.begin("now", "here", "nobody", 1, {})
        for each in outcomes:
            store.add(each)
        store.seal()
    return Sweep(folder)


def test_results_do_not_depend_on_the_order(tmp_path: Path) -> None:
    """Whatever the order in which runs end, the sealed file has the same bytes, and no journal stays behind."""
    files = set()
    for number, order in enumerate(itertools.permutations([outcome(10), outcome(2), failure(3)])):
        folder = tmp_path / str(number)
        write(folder, *order)
        files.add((folder / "results.sqlite").read_bytes())
        names = {path.name for path in folder.iterdir()} - {".lock"}
        assert names == {"results.sqlite", "manifest.sqlite"}
    assert len(files) == 1


def test_the_table_has_what_was_written(tmp_path: Path) -> None:
    """A row per finished run, sorted by key, with parameters and metrics; None is NaN."""
    found = write(tmp_path, outcome(2), outcome(1, wait=None), failure(3))
    assert found.table.columns.tolist() == ["key", "policy", "seed", "n", "wait"]
    assert found.table["n"].tolist() == [1, 2]
    assert found.table["wait"].isna().tolist() == [True, False]
    assert found.failed[["n", "error", "traceback"]].values.tolist() == [[3, "ValueError: no", "line 1\nline 2"]]
    assert found.manifest["pid"].tolist() == [1, 2, 0]
    assert found.series("policy=easy n=2 seed=00001") == {"wait": [0.0, 2.0]}
    assert found.series("no such run") == {}
    assert len(found) == 2


def test_a_run_that_failed_may_succeed_later(tmp_path: Path) -> None:
    """A later success takes the place of a failure."""
    found = write(tmp_path, failure(1), outcome(1))
    assert (len(found), len(found.failed)) == (1, 0)


def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    """An error in a transaction leaves nothing of it."""
    connection = sqlite3.connect(tmp_path / "some.sqlite", isolation_level=None)
    connection.execute("CREATE TABLE some (x)")
    with pytest.raises(KeyError), transaction(connection):
        connection.execute("INSERT INTO some VALUES (1)")
        raise KeyError
    assert connection.execute("SELECT * FROM some").fetchall() == []


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    """A second sweep in a folder is refused while the first is running."""
    with Store(tmp_path, META), pytest.raises(ValueError, match="another sweep is writing to"):
        Store(tmp_path, META)
    with Store(tmp_path, META):
        pass


def test_another_version_does_not_go_on(tmp_path: Path) -> None:
    """Results of two versions of the package are not mixed."""
    write(tmp_path, outcome(1))
    with pytest.raises(ValueError, match="was written with thinktime 1, and this is thinktime 2"):
        Store(tmp_path, META | {"thinktime": "2"})
    write(tmp_path, outcome(2))


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    """Opening a folder without results says what is missing."""
    with pytest.raises(ValueError, match=r"it has no results\.sqlite"):
        Sweep(tmp_path)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    """A results file that is no database is reported in one sentence and left alone."""
    (tmp_path / "results.sqlite").write_text("nonsense " * 100)
    with pytest.raises(ValueError, match="cannot be used"):
        Store(tmp_path, META)
