"""The chaos floor: shaken logs in Python, in scenarios and in commands."""

import json
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from thinktime.analysis.chaos import METRICS, Shakes, chaos, summarized
from thinktime.analysis.experiments import Scenario
from thinktime.analysis.experiments.measured_run import simulate
from thinktime.analysis.experiments.scenario_sources import notes_of, sources_of
from thinktime.analysis.modes.mode_runs import compare_modes
from thinktime.workloads import Header, Trace, shaken
from thinktime.workloads.mode_names import MODES
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.swf.write import write_swf
from thinktime.workloads.user_models import delimit

POLICIES = {"fcfs": tt.MachineSpec(4, "fcfs"), "easy": tt.MachineSpec(4, "easy")}


@pytest.fixture
def log() -> Trace:
    """Fifty jobs of three users in a day, with waits."""
    rng = np.random.default_rng(5)
    runtime = rng.integers(600, 9000, 50)
    columns = {
        "submit": np.sort(rng.integers(0, 86_400, 50)), "runtime": runtime, "wait": rng.integers(0, 600, 50),
        "requested_processors": rng.integers(1, 4, 50), "user": rng.integers(1, 4, 50), "requested_time": 2 * runtime,
    }  # fmt: skip
    return Trace(columns, Header.build(MaxProcs=4))


@pytest.fixture
def path(log: Trace, tmp_path: Path) -> str:
    """The same as a file."""
    return str(write_swf(log, tmp_path / "log.swf") or tmp_path / "log.swf")


def test_the_floor_is_the_spread_over_the_same_shaken_logs(log: Trace) -> None:
    """Mean, standard deviation and paired difference are those of replays by hand."""
    found = chaos(log, POLICIES, Shakes(3, 0.01, seed=7))
    waits = {
        policy: [tt.replay(shaken(log, 0.01, (7, number)), spec).summary()["mean_wait"] for number in range(found.logs)]
        for policy, spec in POLICIES.items()
    }
    for policy, values in waits.items():
        floor = found.floor(policy, "mean_wait")
        assert floor.logged == tt.replay(log, POLICIES[policy]).summary()["mean_wait"]
        assert (floor.mean, floor.floor) == (np.mean(values), np.std(values, ddof=1))
        assert (floor.low, floor.high) == (min(values), max(values))
        assert floor.floor > 0
    floor, difference = found.difference("fcfs", "easy", "mean_wait")
    gaps = np.array(waits["fcfs"]) - np.array(waits["easy"])
    assert (difference.paired, difference.interval.mean) == (True, pytest.approx(gaps.mean()))
    assert floor.floor == pytest.approx(gaps.std(ddof=1))


def test_windows_and_nodes(log: Trace) -> None:
    """Shaken logs are measured in windows, and run on nodes."""
    part = chaos(log, POLICIES, Shakes(2), numbers=summarized(20_000, 60_000))
    assert part.logged["easy"]["utilization"] == tt.replay(log, "easy", 4).summary(20_000, 60_000)["utilization"]
    nodes = {"easy": tt.MachineSpec(policy="easy", nodes=Nodes.uniform(2, processors=2))}
    assert chaos(log, nodes, Shakes(2)).floor("easy", "mean_wait").floor > 0
    with pytest.raises(ValueError, match="at least 2 shaken logs, not 1"):
        Shakes(1)


def test_without_any_share_nothing_moves(log: Trace) -> None:
    """A share of 0 has no floor, in modes neither."""
    assert chaos(log, POLICIES, Shakes(2, share=0.0)).floor("easy", "mean_bounded_slowdown_10").floor == 0
    still = compare_modes(log, {"easy": "easy"}, MODES, shake=0.0, replications=2)
    plain = compare_modes(log, {"easy": "easy"}, MODES)
    for mode in MODES:
        assert still.floor(mode, "easy") == 0
        assert still.mean(mode, "easy") == plain.mean(mode, "easy")


def test_every_mode_runs_shaken_logs_with_the_sessions_of_the_log(log: Trace) -> None:
    """All modes have a floor; open and feedback have the numbers of runs by hand."""
    found = compare_modes(log, {"fcfs": "fcfs", "easy": "easy"}, MODES, shake=0.01, replications=2, seed=3)
    for number in range(2):
        moved = shaken(log, 0.01, (3, number))
        sessions = delimit(log).moved(moved.submit)
        by_hand = {"open": tt.replay(moved), "feedback": tt.replay_with_feedback(moved, delimitation=sessions)}
        for mode, result in by_hand.items():
            assert found.measures[mode]["easy"][number]["mean_wait"] == result.summary()["mean_wait"]
    assert all(found.floor(mode, "easy", "mean_wait") > 0 for mode in MODES)


@pytest.mark.parametrize("mode", [*MODES, "dependencies"])
def test_scenarios_shake_the_log_of_each_seed(mode: str, log: Trace, path: str) -> None:
    """Policies have the same shaken log in each seed, another one in the next, and sessions move along."""
    tables = {"trace": {"file": path, "mode": mode}, "policies": ["fcfs", "easy"], "shake": {}, "replications": 2}
    scenario = Scenario.from_tables(tables)
    assert scenario.random and scenario.all_seeds == (1, 2)
    assert notes_of(scenario) == ["each seed is the log with its times moved by up to 1 %"]
    first, second = (sources_of(scenario, seed)[0][0].trace for seed in (1, 2))
    assert first.equals(shaken(log, 0.01, 1)) and second.equals(shaken(log, 0.01, 2))
    result = simulate(scenario, "easy", 1)
    assert len(result) > 0
    if mode == "feedback":
        wanted = tt.replay_with_feedback(first, delimitation=delimit(log).moved(first.submit))
        assert result["start"].tolist() == wanted["start"].tolist()
    if mode == "open":
        alone = Scenario.from_tables(tables | {"shake": {"submissions": False, "share": 0.1}})
        assert sources_of(alone, 1)[0][0].trace.equals(shaken(log, 0.1, 1, submissions=False))


def test_a_scenario_without_a_log_cannot_be_shaken() -> None:
    """There are no times to move."""
    users = {"users": {"short": {"profile": "short"}}, "machine": {"processors": 4}, "horizon": "1 d"}
    with pytest.raises(ValueError, match=r"\[shake\], which moves the times of a log; give \[trace\] as well"):
        Scenario.from_tables({**users, "shake": {}})


def test_replay_shows_the_floor(path: str, log: Trace) -> None:
    """The table is followed by that of the shaken logs; the object has all metrics and differences."""
    command = ["replay", path, "--policy", "fcfs", "--policy", "easy", "--shake", "3", "--quiet"]
    told = json.loads(stdout_of(*command, "--json"))["shaken"]
    wanted = chaos(log, POLICIES, Shakes(3))
    assert (told["logs"], told["share"]) == (3, 0.01)
    for policy in POLICIES:
        for metric in METRICS:
            assert told["policies"][policy][metric]["floor"] == pytest.approx(wanted.floor(policy, metric).floor)
    assert [each["metric"] for each in told["differences"]] == list(METRICS)
    assert {(each["first"], each["second"]) for each in told["differences"]} == {("easy", "fcfs")}
    text = " ".join(stdout_of(*command).split())
    assert "Shaken 3 times: run times and times between submissions moved by up to 1 %" in text
    assert "Slowdown less that of fcfs" in text


def test_feedback_shows_the_floor(path: str) -> None:
    """Each mode is that of the shaken logs, with its floor."""
    command = ["feedback", path, "--policy", "fcfs", "--policy", "easy", "--shake", "2", "--quiet"]
    told = json.loads(stdout_of(*command, "--json"))
    assert told["replications"] == 2 and told["log"]["shake"] == 0.01
    assert told["chaos_floor"]["feedback"]["easy"]["mean_wait"] > 0
    text = " ".join(stdout_of(*command).split())
    assert "open: means of 2 logs with times moved by up to 1 %; chaos floor (standard deviation)" in text
    assert "t over 2 shaken logs" in text and "pairs of shaken logs" in text


@pytest.mark.parametrize("command", ["replay", "feedback"])
def test_one_shaken_log_has_no_spread(command: str, path: str) -> None:
    """One sentence says what is wrong."""
    assert "--shake must be at least 2" in refusal_of(command, path, "--shake", "1", "--quiet")
    if command == "feedback":
        assert "--shake moves the times of one log, and --replications draws others" in refusal_of(
            command, path, "--shake", "2", "--replications", "2", "--quiet"
        )
