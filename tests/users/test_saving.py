"""States that are written while a run goes on, and logs that go on from them."""

from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log, machines
from tests.models.machine.cuts import digest
from thinktime.users.saving import Saving


@pytest.mark.parametrize("source", ["log", "dependencies"])
@pytest.mark.parametrize("machine", ["pool", "nodes", "failing pool"])
def test_a_log_goes_on(machine, source, tmp_path):
    """A log that is given again with a state of its replay is not submitted twice: the rest is that of the whole."""
    given, spec = getattr(tt.sources, source)(log(6)), machines()[machine]
    whole = tt.run(spec, given)
    files = {80.0: tmp_path / "80.state", 140.5: tmp_path / "140.state"}
    assert digest(tt.run(spec, given, saving=Saving(at=files))) == digest(whole), "to write changes nothing"
    for time, path in files.items():
        state = tt.MachineState.read(path)
        assert state.time == time and not state.is_of(log(7))
        rest = tt.run(spec, given, begin=path)
        assert digest(rest) == digest(whole) and rest.notes == whole.notes
        assert rest["id"].tolist() == whole["id"].tolist()


@pytest.mark.parametrize("source", ["log", "dependencies"])
@pytest.mark.parametrize("numbers", [[3, 3, 4, 3], [-1, 3, -1, -1]], ids=["the same", "none"])
def test_a_log_with_odd_numbers_goes_on(numbers, source, tmp_path):
    """Jobs with the same number are all known to the state, and so are jobs without one."""
    given = tt.Trace({"submit": [0, 5, 6, 30], "runtime": [9, 9, 30, 3], "allocated": [3, 3, 2, 1], "id": numbers})
    path, from_log = tmp_path / "a.state", getattr(tt.sources, source)
    whole = tt.run(tt.MachineSpec(4), from_log(given), saving=Saving(at={12.0: path}))
    assert digest(tt.run(tt.MachineSpec(4), from_log(given), begin=path)) == digest(whole)


def test_checkpoints_change_nothing(tmp_path):
    """A checkpoint is written again and again, and a run that goes on from one gives the rest."""
    path, spec, seen = tmp_path / "c.state", tt.MachineSpec(PROCESSORS, "conservative"), []
    whole = tt.run(spec, log(3))

    def look(now: float, done: int, jobs: int) -> None:
        if path.exists():
            seen.append(tt.MachineState.read(path))
            path.unlink()

    run = tt.run(spec, log(3), saving=Saving(checkpoint=path, every=0), progress=look)
    assert digest(run) == digest(whole) and len({state.time for state in seen}) > 10
    for state in seen[::25]:
        assert digest(tt.run(spec, log(3), begin=state)) == digest(whole)


def test_what_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    """A policy in Python has no file, and there is no waiting for that until the first checkpoint is due."""

    def nobody(view: Any, now: float) -> Any:
        raise AssertionError("it runs")

    with pytest.raises(ValueError, match=r"a state in a file cannot be combined with .*; here policy nobody"):
        tt.run(tt.MachineSpec(PROCESSORS, nobody), log(3), saving=Saving(checkpoint=tmp_path / "a"))


def test_moments_that_cannot_be(tmp_path):
    """Before the beginning, after the end, or when all is over: one sentence each, and no file."""
    for time, said in ((0, "after the beginning"), (10**6, "all jobs are over by then")):
        with pytest.raises(ValueError, match=said):
            tt.run(tt.MachineSpec(PROCESSORS), log(3), saving=Saving(at={time: tmp_path / "a"}))
    with pytest.raises(ValueError, match="before its end"):
        tt.run(tt.MachineSpec(PROCESSORS), log(3), until=50, saving=Saving(at={60: tmp_path / "a"}))
    assert not list(Path(tmp_path).iterdir())
