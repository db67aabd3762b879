"""The changes of a machine as plain values: what is written is read back, and what is wrong is named."""

import math
from pathlib import Path

import pytest
from scipy import stats

import thinktime as tt
from thinktime.models.machine.changing.tables import changes_of, in_words, table_of
from thinktime.workloads.changes import Window, repeat

ALL = tt.Changes(
    windows=(*repeat(Window(20, 30, 5), 60, 200), Window(5, math.inf, 1, announced=2, users=["ann", 7], jobs=[3])),
    outages=tt.Outages.of([(10, 20, "0-1 7"), (15.5, math.inf, [7])]),
    failures=tt.Failures("30d", 1.5, shape=0.7, seed=4),
    repairs="told",
    on_failure="cancel",
    requeue_at="now",
    max_restarts=0,
    checkpoint=3600,
    cost=0.5,
    restart=120,
)


@pytest.mark.parametrize(
    "changes",
    [
        tt.Changes(),
        ALL,
        tt.Changes(tt.Window(0, 60, 4, kind="capacity", rule="wait")),
        tt.Changes(tt.Window(0, 60, 4, kind="maintenance", users=["ann"])),
    ],
)
def test_changes_are_written_as_a_table_and_as_toml_and_read_back(changes: tt.Changes) -> None:
    """Whatever changes can be said in plain values is read back as it was."""
    assert changes_of(table_of(changes)) == changes
    spec = tt.MachineSpec(8, changes=changes)
    assert tt.MachineSpec.from_toml(spec.to_toml()) == spec and hash(spec) == hash(tt.MachineSpec(8, changes=changes))


def test_texts_stand_for_tables() -> None:
    """Failures and checkpoints are the same as texts and as keys, and the default seed gives way to one of theirs."""
    texts = {"failures": "mtbf=30d,mttr=4h", "checkpoint": "1h,cost=30s,restart=2m"}
    keys = {"failures": {"mtbf": "30d", "mttr": 14400}, "checkpoint": "1h", "cost": 30, "restart": "2m"}
    assert changes_of(texts, seed=3) == changes_of(keys, seed=3) != changes_of(keys)
    own = changes_of({"failures": "mtbf=30d,mttr=4h,seed=5"}, seed=3)
    assert own.failures == tt.Failures("30d", "4h", seed=5)
    assert changes_of({"checkpoint": "none", "failures": "none", "max_restarts": "none"}) == tt.Changes()


def test_a_window_that_is_repeated() -> None:
    """A window with every and until is a row of windows."""
    table = {"start": "8 h", "end": "10 h", "processors": 4, "every": "1 d", "until": "3 d"}
    assert changes_of({"windows": [table]}).windows == repeat(Window(28_800, 36_000, 4), "1d", 3 * tt.DAY)


def test_events_of_a_file_are_added(tmp_path: Path) -> None:
    """Windows and outages of a file stand behind those of the table."""
    path = tmp_path / "events.csv"
    tt.write_events(path, [Window(50, 60, 2)], tt.Outages.of([(1, 2, "3")]))
    table = {"windows": [{"start": 10, "end": 20, "processors": 1}], "events": str(path)}
    found = changes_of(table | {"outages": [{"start": 3, "end": 4, "processors": [0, 1]}]}, 8)
    assert found.windows == (Window(10, 20, 1), Window(50, 60, 2))
    assert found.outages == tt.Outages.of([(1, 2, "3"), (3, 4, "0-1")])


def test_in_words() -> None:
    """A line says what there is, and the seed of failures in any case."""
    text = "4 windows, 2 outages, failures mtbf=30d,mttr=1.5s,shape=0.7,seed=4, repairs told, on_failure cancel, "
    more = "requeue_at now, max_restarts 0, checkpoint 1h, cost 0.5s, restart 2min"
    assert in_words(ALL) == text + more
    assert in_words(tt.Changes(failures=tt.Failures(60, 1))) == "failures mtbf=1min,mttr=1s,seed=1"
    assert in_words(tt.Changes()) == "nothing"


WINDOW = {"start": 10, "end": 20, "processors": 4}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"windos": []}, "changes have no key 'windos'; did you mean 'windows'?"),
        ({"windows": [WINDOW, 3]}, "window 2 must be a table of start, end, processors, .*, not 3"),
        ({"windows": [{"start": 10, "end": 20}]}, "window 1 needs processors"),
        ({"windows": [WINDOW | {"end": 5}]}, r"window 1: end must be after start \(10 s\), not 5"),
        ({"windows": [WINDOW | {"user": 5}]}, "window 1 has no key 'user'; did you mean 'users'?"),
        ({"windows": [WINDOW | {"rule": "x"}]}, "window 1: rule cannot be 'x'"),
        ({"windows": [WINDOW | {"kind": "outage"}]}, "window 1: kind cannot be 'outage'; the choices are maintenance"),
        ({"outages": [{"start": 0, "end": 1, "processors": 3}]}, "outage 1: processors must be such as '0-3 7'"),
        ({"windows": [WINDOW | {"every": 60}]}, "window 1: every and until belong together"),
        ({"windows": [WINDOW | {"start": "2003-01-01"}]}, "window 1: the date '2003-01-01' cannot be placed"),
        ({"outages": [{"start": 10, "end": 20}]}, "outage 1 needs processors"),
        ({"outages": [{"start": 10, "end": 20, "processors": "8"}]}, r"outage 1: .* beyond the machine's 8"),
        ({"outages": [{"start": -10, "end": 20, "processors": "0"}]}, "outage 1: .*must be 0 or later"),
        ({"failures": "mtbf=3d"}, "^failures need mttr"),
        ({"failures": "mtbf=3d,mttr=0"}, "^failures: mttr must be a duration above 0"),
        ({"failures": {"mtbf": "3d", "mtr": 4}}, "failures have no 'mtr'; did you mean 'mttr'?"),
        ({"failures": "mtbf=3d,mttr=4h,seed=x"}, "seed must be a whole number, such as 3, not 'x'"),
        ({"checkpoint": "1x"}, "checkpoint must be a duration of at least 0"),
        ({"checkpoint": "1h,costs=3"}, r"checkpoint must be such as 1h or 1h,cost=30s,restart=2m, so 'costs=3'"),
        ({"checkpoint": "1h,cost=3", "cost": 4}, "checkpoint: cost is given twice"),
        ({"cost": 4}, "cost is 4 s, but there are no checkpoints"),
        ({"on_failure": "x"}, "on_failure cannot be 'x'; the choices are"),
        ({"max_restarts": -1}, "max_restarts must be a whole number of at least 0"),
    ],
)
def test_wrong_values_are_named(table: dict[str, object], message: str) -> None:
    """One sentence says which key is wrong, and what would be right."""
    with pytest.raises(ValueError, match=message):
        changes_of(table, 8)


def test_a_distribution_of_its_own_is_no_text() -> None:
    """Failures with SciPy distributions cannot be written."""
    changes = tt.Changes(failures=tt.Failures(up=stats.expon(scale=9), mttr=1))
    with pytest.raises(ValueError, match=r"failures have a distribution of their own .*, which TOML cannot hold"):
        table_of(changes)


def test_values_never_become_texts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Indices of an outage and keys of failures are taken as they are, and not written and read once more."""

    def refuse(*given: object) -> None:
        raise AssertionError(given)

    monkeypatch.setattr("thinktime.workloads.changes.outage_logs.indices_of", refuse)
    monkeypatch.setattr(tt.Failures, "parse", refuse)
    found = changes_of(
        {"outages": [{"start": 1, "end": "2 s", "processors": [3, 0]}], "failures": {"mtbf": 9, "mttr": 1}}
    )
    assert found.outages == tt.Outages([1, 1], [2, 2], [0, 3]) and found.failures == tt.Failures(9, 1)


def test_windows_are_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a file to the end of a run, and the sentence names the line of the file."""
    path, checked = tmp_path / "events.csv", []
    tt.write_events(path, [Window(50, 60, 2), Window(70, 80, 4)])
    of_rules = "thinktime.models.machine.changing.rules.check_windows"
    monkeypatch.setattr(of_rules, lambda *given: checked.append(given[1:]))
    changes = changes_of({"windows": [WINDOW], "events": str(path)}, 8)
    log = tt.Trace({"submit": [0], "runtime": [5], "allocated": [4]})
    tt.run(tt.MachineSpec(8, changes=changes), tt.sources.log(log))
    assert checked == [(8, ("window 1", f"{path}, line 2", f"{path}, line 3"))]
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"events\.csv, line 3: it takes 4 processors, but the machine has 3"):
        changes_of({"events": str(path)}, 3)
