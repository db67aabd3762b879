"""Commands that open what somebody else has made import no Python file of theirs."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import thinktime as tt
from thinktime.analysis.experiments.remade import remade

from .conftest import Fails, Run

EVIL = """
from pathlib import Path
with open(Path(__file__).with_name("marker"), "a") as file:
    file.write("imported ")

def area(jobs, now):
    return jobs.processors * jobs.estimate

def first(view, now):
    return [job for job in view.queue if view.fits(job)][:1]

def mine(jobs):
    return 1.0

def fit(free, chunk, nodes):
    return free[:, 0]
"""
SCENARIO = """
policies = {policies}
metrics = ["mean_wait"{metric}]
horizon = "9 h"
replications = 1
[machine]
{machine}
[users.u]
count = 2
runtime = "10 min"
processors = 5
jobs = 4
think_time = "1 h"
"""
POOL = "processors = 8"
OWN = ["easy:order=evil.py:area", "evil.py:first", "slack:priorities=evil.py:first", "tradeoff:goals=evil.py:area"]


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file that leaves a marker when it is imported, which is also the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL)
    return tmp_path / "marker"


def sweep(folder: Path, policies: list[str], metric: str = "", machine: str = POOL) -> Path:
    """A folder of results whose runs have a script among their settings."""
    text = SCENARIO.format(policies=json.dumps(policies), metric=metric, machine=machine)
    (folder / "s.toml").write_text(text)
    return tt.sweep(tt.Scenario.read(folder / "s.toml"), folder / "results", processes=1).folder


def test_view_leaves_out_policies_that_need_a_script(evil: Path, run: Run, fails: Fails) -> None:
    """The other policies are shown; a script is imported only with --trust."""
    folder = sweep(evil.parent, ["easy", "fcfs"])
    made = evil.parent / "with.toml"
    made.write_text(SCENARIO.format(policies=json.dumps(["easy", *OWN[:2]]), metric="", machine=POOL))
    mixed = tt.sweep(tt.Scenario.read(made), evil.parent / "mixed", processes=1).folder
    evil.unlink()
    assert run("view", folder).err == ""
    said = run("view", mixed).err
    assert "easy:order=evil.py:area is left out and not imported: " in said and "--trust" in said
    assert list(remade(tt.Sweep(mixed))) == ["easy"]
    assert not evil.exists()
    assert run("view", mixed, "--trust").err == ""
    assert evil.exists()


def test_nothing_is_imported_to_read_a_scenario(evil: Path, run: Run, fails: Fails) -> None:
    """A folder whose scenario somebody altered: a report needs no policy, and runs of others are not made."""
    folder = sweep(evil.parent, ["easy"])
    for policy in OWN:
        with closing(sqlite3.connect(folder / "results.sqlite")) as file:
            (text,) = next(file.execute("SELECT value FROM meta WHERE name = 'scenario'"))
            altered = json.dumps({**json.loads(text), "policies": [policy]})
            file.execute("UPDATE meta SET value = ? WHERE name = 'scenario'", (altered,))
            file.commit()
        assert "cannot be made again" in fails("view", folder)
        assert tt.Sweep(folder).scenario.policies == (policy,)
    assert run("report", folder).status == 0
    assert not evil.exists()


def test_a_metric_or_a_machine_of_their_own(evil: Path, run: Run, fails: Fails) -> None:
    """Metrics are stored, so nothing asks for them; an allocator is asked for."""
    folder = sweep(evil.parent, ["easy"], ', "evil.py:mine"')
    evil.unlink()
    assert run("report", folder, "--picture", "svg").status == run("view", folder).status == 0
    tt.Sweep(folder)._repr_html_()
    assert not evil.exists()


def test_every_policy_of_a_script(evil: Path, run: Run, fails: Fails) -> None:
    """If all policies need one, the sentence names the first."""
    folder = sweep(evil.parent, OWN[:2])
    evil.unlink()
    said = fails("view", folder)
    assert f"{OWN[0]} is not imported: it belongs to somebody's results; give --trust" in said
    assert not evil.exists()


def test_an_allocator_of_their_own(evil: Path, run: Run, fails: Fails) -> None:
    """Nodes are chosen by a script under every policy, so nothing is left to show."""
    nodes = 'allocator = "evil.py:fit"\n[[machine.nodes]]\nname = "n"\ncount = 2\nprocessors = 8'
    text = SCENARIO.format(policies='["easy"]', metric="", machine=nodes)
    (evil.parent / "s.toml").write_text(text)
    made = tt.sweep(tt.Scenario.read(evil.parent / "s.toml"), evil.parent / "results", processes=1)
    evil.unlink()
    assert len(made) == 1 and "evil.py:fit is not imported" in fails("view", made.folder)
    assert run("report", made.folder).status == 0
    assert not evil.exists()
