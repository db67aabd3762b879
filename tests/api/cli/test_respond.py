"""Users of a log who respond, on the command line and in scenarios: what a script would say."""

from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime import behaviours, sources
from thinktime.analysis.experiments import Scenario, sweep
from thinktime.analysis.modes.mode_options import Asked
from thinktime.analysis.modes.mode_runs import run_modes
from thinktime.cli import options
from thinktime.cli.feedback import Users
from thinktime.workloads.header import Header

RESPOND = """
share = 0.5
seed = 3
[behaviours.renounce]
when = { windows = [[0, "1 d"]] }
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Sixty jobs of six users, one every twenty minutes."""
    n = 60
    columns = {"submit": 1200.0 * np.arange(n), "runtime": np.full(n, 600.0), "allocated": np.full(n, 2)}
    trace = tt.Trace({**columns, "wait": np.zeros(n), "user": np.arange(n) % 6}, Header().set("MaxProcs", 4))
    tt.write_swf(trace, tmp_path / "log.swf")
    return tmp_path / "log.swf"


def written(folder: Path, text: str = RESPOND) -> Path:
    path = folder / "respond.toml"
    path.write_text(text, encoding="utf-8")
    return path


def renounced(log: Path) -> int:
    """How many jobs are not submitted, by a script."""
    who = tt.Respondents(behaviours.Renounce(behaviours.Windows([(0, tt.DAY)])), 0.5, seed=3)
    result = tt.run(tt.MachineSpec(4), sources.log(tt.read_swf(log)).with_responses(who))
    return int((result["state"] == tt.State.WITHDRAWN).sum())


def test_a_replay_with_users_who_respond(log: Path, tmp_path: Path) -> None:
    """Half of the users renounce what they wanted in the first day, and notes say so."""
    told, gone = stdout_of("replay", log, "--respond", written(tmp_path), "--quiet"), renounced(log)
    assert 0 < gone < 60 and f"users who respond: {gone} jobs renounced" in " ".join(told.split())


def test_feedback_with_users_who_respond(log: Path, tmp_path: Path) -> None:
    """Whom the option names responds in every mode."""
    ends = options.SessionEnds()
    who = Users(respond=str(written(tmp_path)), ends=ends).who
    found = {}

    def keep(mode: str, policy: str, replication: int, result: tt.Result) -> None:
        found[mode] = int((result.answers["response"] == "renounced").sum())

    asked = Asked(modes=("open", "feedback", "generative"), who=who)
    run_modes(tt.read_swf(log), {"easy": "easy"}, tt.MachineSpec(4), asked, keep)
    assert found["open"] == found["feedback"] == renounced(log) and found["generative"] > 0
    with pytest.raises(ValueError, match="leave out --respond"):
        Users(respond="respond.toml", correct="easy", ends=ends)


def test_a_scenario_with_users_who_respond(log: Path, tmp_path: Path) -> None:
    """Keys of the behaviours can be swept, and what users give up is among the metrics."""
    text = f"""
policies = ["easy"]
metrics = ["renounced_jobs", "renounced_processor_hours", "degraded_jobs"]
seeds = [3]
machine.processors = 4
[trace]
file = "{log}"
respondents = 0.5
[trace.behaviours]
renounce = {{ when = {{ windows = [[0, "1 d"]] }} }}
[sweep.grid]
"trace.respondents" = [0.0, 0.5]
"""
    table = sweep(Scenario.from_text(text), tmp_path / "sweep", processes=1).table
    counts = table.set_index("trace.respondents")["renounced_jobs"].to_dict()
    assert counts == {0.0: 0, 0.5: renounced(log)}
    assert table["lost_processor_hours"].tolist() == pytest.approx(table["renounced_processor_hours"].tolist())


def test_a_signal_of_the_machine_is_what_users_see(log: Path, tmp_path: Path) -> None:
    """A scenario and a command name the signal that the machine has; users renounce where it is dear, from noon on."""
    (tmp_path / "price.csv").write_text("start,value\n0,1\n43200,9\n", encoding="utf-8")
    dear = """
[behaviours.renounce]
when = { dear = { signal = "price", above = 2 } }
"""
    text = f"""
policies = ["easy"]
metrics = ["renounced_jobs"]
machine.processors = 4
machine.signals.price = {{ file = "price.csv" }}
[trace]
file = "log.swf"
{dear.replace("behaviours.", "trace.behaviours.")}
"""
    (tmp_path / "scenario.toml").write_text(text, encoding="utf-8")
    table = sweep(Scenario.read(tmp_path / "scenario.toml"), tmp_path / "sweep", processes=1).table
    assert set(table["renounced_jobs"]) == {24}  # of 60, one every 20 minutes
    price = f"price={tmp_path / 'price.csv'}"
    told = stdout_of("replay", log, "--signal", price, "--respond", written(tmp_path, dear), "--quiet")
    assert "24 jobs renounced" in " ".join(told.split())
    assert "the machine has no signal 'price'" in refusal_of("replay", log, "--respond", written(tmp_path, dear))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("behaviours = 3", "needs a table for each behaviour, such as [behaviours.delay]"),
        ("shares = 1\n" + RESPOND, "has no key 'shares'; did you mean 'share'?"),
        (RESPOND.replace("0.5", "2"), "the share of users who respond must be from 0 to 1, not 2"),
        (RESPOND.replace("renounce", "announce"), "there is no behaviour 'announce'; did you mean 'renounce'?"),
        ("[behaviours.patience]\ntime = 9", "no user is told of starts"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(log: Path, tmp_path: Path, text: str, said: str) -> None:
    """A wrong file, key, share or behaviour is named."""
    assert said in refusal_of("replay", log, "--respond", written(tmp_path, text), "--quiet")


def test_what_cannot_be_together(log: Path, tmp_path: Path) -> None:
    """Users are no part of a state, and not of shaken copies; a file has to be there."""
    for words in (("--shake", "2"), ("--begin", "june.state")):
        assert "--respond needs a whole replay" in refusal_of("replay", log, "--respond", written(tmp_path), *words)
    assert "there is no such file" in refusal_of("replay", log, "--respond", tmp_path / "nobody.toml")
    state = []

    def look(env, machine):
        yield env.timeout(5000)
        state.append(machine.state())

    trace = tt.read_swf(log)
    tt.run(tt.MachineSpec(4), sources.log(trace), look)
    again = sources.log(trace).with_responses(behaviours.Renounce(behaviours.Windows([(0, 9)])))
    with pytest.raises(ValueError, match="begins from a state of the log"):
        tt.run(tt.MachineSpec(begin=state[0]), again)
