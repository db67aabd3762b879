"""Scenarios that begin from the state of a machine."""

from pathlib import Path
from typing import Any

import pytest

import thinktime as tt
from tests.frozen.cases import PROCESSORS, log
from tests.models.machine.cuts import digest
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.plan import check, runs
from thinktime.users.saving import Saving

POLICY = "conservative:order=sjf"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log, and the state of its replay at 100 s."""
    tt.write_swf(log(6), tmp_path / "a.swf")
    jobs, saving = tt.read_swf(tmp_path / "a.swf", processors=PROCESSORS), Saving(at={100.0: tmp_path / "june.state"})
    tt.replay(jobs, POLICY, PROCESSORS, saving=saving)
    return tmp_path


def _scenario(folder: Path, **others: Any) -> tt.Scenario:
    path = folder / "a.toml"
    tables = {"name": "a", "policies": [POLICY]} | others
    machine = {"processors": PROCESSORS, "begin": "june.state"} | tables.pop("machine", {})
    trace = {"file": "a.swf"} | tables.pop("trace", {})
    texts = [f"{key} = {value!r}" for key, value in tables.items()]
    for name, table in (("machine", machine), ("trace", trace)):
        texts += [f"[{name}]", *(f"{key} = {value!r}" for key, value in table.items() if value is not None)]
    path.write_text("\n".join(texts))
    return tt.Scenario.read(path)


def test_a_scenario_goes_on(folder):
    """The log of the state goes on, and its result is that of the whole; jobs of another log come from then on."""
    found = simulate(_scenario(folder), POLICY, 1)
    assert digest(found) == digest(simulate(_scenario(folder, machine={"begin": None}), POLICY, 1))
    tt.write_swf(log(6).select(log(6).user != 2), folder / "b.swf")
    other = simulate(_scenario(folder, trace={"file": "b.swf"}), POLICY, 1)
    late = other["submit"] >= 100
    assert len(other) < len(found) and late.any() and 2 not in other.jobs["user"][late].tolist()
    assert 2 in other.jobs["user"][~late].tolist()


def test_what_contradicts_the_state_is_refused_before_anything_runs(folder):
    """Another policy, another machine, no file; and the state is a part of what a run is known by."""
    check(_scenario(folder))
    with pytest.raises(ValueError, match="here policy = easy"):
        check(_scenario(folder, policies=["easy"]))
    with pytest.raises(ValueError, match="here overrun = extend"):
        check(_scenario(folder, machine={"overrun": "extend"}))
    with pytest.raises(ValueError, match=r"machine.begin: there is no file may.state"):
        check(_scenario(folder, machine={"begin": "may.state"}))
    (before,) = runs(_scenario(folder))
    tt.MachineState.read(folder / "june.state").without_arrivals().save(folder / "june.state")
    (after,) = runs(_scenario(folder))
    assert before != after
