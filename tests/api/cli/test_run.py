"""`thinktime new` and `thinktime run`: from a starter to results, and what is said when something is wrong."""

import json
from pathlib import Path

import pytest

import thinktime as tt
from thinktime.cli.new import KINDS

from .conftest import Fails, Run
from .test_progress import teller

MODEL = """
def simulate(policy, seed, load=1.0):
    if policy == "easy" and seed == 3:
        raise RuntimeError("no luck")
    return {"mean_wait": 100.0 * seed * load + (60 if policy == "easy" else 0), "utilization": 0.5}
"""
OWN = """policies = ["fcfs", "easy"]
metrics = ["mean_wait", "utilization"]
replications = 2
model.function = "model.py:simulate"
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario of a model that is over at once, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "own.toml").write_text(OWN)
    return tmp_path


def test_tables(run: Run, own: Path) -> None:
    """The table has means with half widths by policy, stars for differences, and the folder below."""
    status, out, err = run("run", "own.toml", "--workers", "1")
    assert status == 0
    assert [line.split() for line in out.splitlines()[:3]] == [
        ["fcfs", "easy"],
        ["mean_wait", "2m", "30s", "±", "10m", "35s", "3m", "30s", "±", "10m", "35s", "***"],
        ["utilization", "50.0%", "50.0%"],
    ]
    assert "Means over 2 seeds" in out
    assert err.splitlines()[0] == "4 runs" and err.splitlines()[1].startswith("4 of 4 runs finished in")
    assert (own / "own-results" / "results.csv").exists()


def test_it_goes_on(run: Run, own: Path) -> None:
    """A second call has nothing to do, and more seeds go into the same folder."""
    run("run", "own.toml", "--out", "out", "--workers", "1", "--quiet")
    before = (own / "out" / "results.csv").read_text()
    _, out, err = run("run", "own.toml", "--out", "out", "--workers", "1")
    assert "4 runs (4 already finished)" in err
    assert (own / "out" / "results.csv").read_text() == before
    _, out, _ = run("run", "own.toml", "--out", "out", "--set", "replications=3", "--workers", "1")
    assert "fcfs" in out
    assert len((own / "out" / "results.csv").read_text().splitlines()) == 6


def test_json(run: Run, own: Path) -> None:
    """One JSON object, with nothing else on standard output: means, half widths, seeds, failures."""
    words = ("--json", "--quiet", "--workers", "1", "--set", "replications=3")
    status, out, err = run("run", "own.toml", *words)
    found = json.loads(out)
    assert status == 1 and "1 run failed, such as 'policy=easy seed=00003': RuntimeError: no luck" in err
    assert found["finished"] == 5
    assert found["failed"] == [{"key": "policy=easy seed=00003", "error": "RuntimeError: no luck"}]
    fcfs, easy = found["results"]
    assert (fcfs["policy"], fcfs["seeds"], fcfs["metrics"]["mean_wait"]["mean"]) == ("fcfs", [1, 2, 3], 200.0)
    assert (easy["seeds"], easy["metrics"]["mean_wait"]["n"]) == ([1, 2], 2)


def test_all_runs_failed(run: Run, own: Path) -> None:
    """Where every run failed, that is said in place of a table."""
    (own / "model.py").write_text("def simulate(policy, seed):\n    raise KeyError(seed)\n")
    status, out, err = run("run", "own.toml", "--workers", "1")
    assert (status, out) == (1, "")
    assert "4 runs failed, such as 'policy=easy seed=00001': KeyError: 1" in err


@pytest.mark.parametrize("kind", KINDS)
def test_starters(run: Run, tmp_path: Path, kind: str) -> None:
    """Every starter is a complete scenario with a comment in every table."""
    from thinktime.analysis.experiments import Scenario

    file = tmp_path / "mine.toml"
    status, out, _ = run("new", file, "--kind", kind)
    assert status == 0 and "thinktime run" in out
    scenario = Scenario.read(file)
    assert scenario.name == "mine"
    assert file.read_text().count("#") > 10


@pytest.mark.parametrize("kind", ["users", "trace", "workload"])
def test_a_starter_passes_its_own_checklist(run: Run, tmp_path: Path, kind: str) -> None:
    """It has a warm-up, or begins where a log does, and a metric per user."""
    run("new", tmp_path / "mine.toml", "--kind", kind)
    scenario = tt.Scenario.read(tmp_path / "mine.toml")
    assert "mean_user_mean_wait" in scenario.metrics
    assert scenario.warm_up or kind == "trace"


def test_a_small_starter_of_a_workload_passes_its_own_checklist(run: Run, tmp_path: Path) -> None:
    """The questions of warm-up and of the users' view are answered by what it is, after a run."""
    file, out = tmp_path / "mine.toml", tmp_path / "out"
    run("new", file, "--kind", "workload")
    small = ("--set", "workload.jobs=200", "--set", "replications=2", "--set", 'policies=["easy", "fcfs"]')
    assert run("run", file, "--out", out, "--workers", "1", "--quiet", *small)[0] == 0
    found = {item.pitfall: item.verdict for item in tt.checklist(out).items}
    assert found["no warm-up"] == found["the users' view ignored"] == "avoided"


def test_a_starter_runs(run: Run, tmp_path: Path) -> None:
    """The users of the starter run for a day."""
    file = tmp_path / "mine.toml"
    run("new", file)
    small = ("--set", 'horizon="1 d"', "--set", "warm_up=0", "--set", "replications=2", "--set", 'policies=["easy"]')
    status, out, _ = run("run", file, "--out", tmp_path / "out", "--workers", "1", "--quiet", *small)
    assert status == 0 and "machine.processors = 96" in out and "mean_wait" in out


def test_new_overwrites_nothing(run: Run, fails: Fails, tmp_path: Path) -> None:
    """An existing scenario is not overwritten."""
    (tmp_path / "mine.toml").write_text("precious")
    assert "already exists" in fails("new", tmp_path / "mine.toml")
    assert (tmp_path / "mine.toml").read_text() == "precious"
    said = fails("new", tmp_path / "mine.txt")
    assert said.startswith("a scenario must be a file NAME.toml, not '/") and said.endswith("mine.txt'")
    assert "did you mean 'users'?" in fails("new", tmp_path / "x.toml", "--kind", "user")
    assert "there is no folder" in fails("new", tmp_path / "no" / "x.toml")


def test_errors(fails: Fails, own: Path) -> None:
    """An error is one sentence and leaves no folder."""
    assert "there is no scenario none.toml; `thinktime new none.toml`" in fails("run", "none.toml")
    (own / "own.toml").write_text(OWN.replace("policies", "polices"))
    wrong = "own.toml, line 1: has no key 'polices'; did you mean 'policies'?"
    assert fails("run", "own.toml") == wrong
    (own / "own.toml").write_text(OWN)
    assert "--set must be KEY=VALUE" in fails("run", "own.toml", "--set", "seeds")
    assert "replications must be at least 1, not 0" in fails("run", "own.toml", "--set", "replications=0")
    assert "--workers must be a whole number of at least 1" in fails("run", "own.toml", "--workers", "0")
    assert "give one of them" in fails("run", "own.toml", "--workers", "2", "--dask", "localhost:1")
    (own / "log.toml").write_text('[trace]\nfile = "nowhere.swf"\n')
    assert "trace.file: there is no log nowhere.swf beside the scenario" in fails("run", "log.toml")
    assert not (own / "own-results").exists() and not (own / "log-results").exists()
    (own / "own-results").write_text("a file")
    assert "a file is in the way" in fails("run", "own.toml", "--quiet")


def test_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, a bar shows what is done, running and failed."""
    from thinktime.analysis.experiments.sweep import Standing
    from thinktime.cli.progress import standing_bar

    told, screen = teller(terminal=True)
    with standing_bar(told, "office") as tell:
        assert tell
        tell(Standing(20, 4, 2, 1, 0))
    shown = screen.getvalue()
    assert "office" in shown and "5/20" in shown and "2 running, 1 failed" in shown


def test_many_policies_are_rows(run: Run, own: Path) -> None:
    """Policies that do not fit side by side are rows, and no metric is lost at 100 columns."""
    metrics = [f"p{n}_wait" for n in range(10, 22)]
    policies = ["fcfs", "easy", "conservative", "easy:order=lxf,reservations=2", "conservative:compress=scheduled"]
    text = f"policies = {policies}\nmetrics = {metrics}\nreplications = 2\nmachine.processors = 8\n"
    text += "[workload]\njobs = 30\n"
    (own / "many.toml").write_text(text.replace("'", '"'))
    status, out, _ = run("run", "many.toml", "--workers", "1", "--quiet")
    assert status == 0
    words = " ".join(out.split())
    assert all(words.split().count(f"p{n}") == 1 for n in range(10, 22))  # headings fold at blanks
    assert max(map(len, out.splitlines())) <= 100
