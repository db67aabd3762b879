"""Logs whose jobs may have several sizes, on the command line and in scenarios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import thinktime as tt
from tests.commands import refusal_of, stdout_of

POLICY = "shapes:expand=oldest,shrink=latest"
HOW = "share=0.5,least=0.5,most=2,speedup=amdahl(0.05)"
SCENARIO = f"""
policies = ["easy", "{POLICY}"]
trace.file = "log.swf"
machine.processors = 8

[shapes]
least = 0.5
most = 2
speedup = "amdahl(0.05)"

[sweep.grid]
"shapes.share" = [0, 0.5]
"""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tt.Trace:
    """A log in the folder that is worked in."""
    jobs = 24
    made = tt.Trace(
        {
            "submit": [200 * k for k in range(jobs)], "runtime": [300 + 100 * (k % 5) for k in range(jobs)],
            "allocated": [1 + k % 4 for k in range(jobs)], "wait": [0] * jobs, "user": [1 + k % 3 for k in range(jobs)],
        }
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    tt.write_swf(made, "log.swf")
    return made


def test_a_replay_has_them(log: tt.Trace) -> None:
    """As a text or a file, they are those of Python; the report says what was assumed, and the files what became."""
    shaped = tt.Shaping.parse(HOW).of(log, 8)
    expected = tt.replay(shaped, POLICY, 8)
    words = ["replay", "log.swf", "--processors", 8, "--policy", "easy", "--policy", POLICY, "--quiet", "--shapes"]
    told = stdout_of(*words, HOW, "--out", "out")
    assert "malleable of 24 jobs" in told and "efficiency" in told
    (folder,) = Path("out").glob("shapes*")
    assert tt.Result.load(folder / "result.npz")["end"].tolist() == expected["end"].tolist()
    assert (expected["end"] != tt.replay(log, POLICY, 8)["end"]).any()
    tt.workloads.shapes.of_logs.write_shapes(shaped, "sizes.csv")
    as_json = json.loads(stdout_of(*words, "sizes.csv", "--json"))["policies"][1]
    assert as_json["mean_wait"] == pytest.approx(expected.summary()["mean_wait"])


def test_users_who_wait_have_them(log: tt.Trace) -> None:
    """A comparison with feedback says what was assumed."""
    told = stdout_of("feedback", "log.swf", "--processors", 8, "--policy", POLICY, "--mode", "feedback", "--quiet",
                     "--shapes", HOW)  # fmt: skip
    assert "malleable of 24 jobs" in told


def test_scenarios_have_them(log: tt.Trace) -> None:
    """A sweep varies the share; without any, or under a policy that chooses no sizes, nothing is different."""
    done = tt.sweep(tt.Scenario.from_text(SCENARIO), "out", processes=1)
    waits = {(each["policy"], each["shapes.share"]): each["mean_wait"] for each in done.table.to_dict("records")}
    assert waits["easy", 0] == waits["easy", 0.5] == waits[POLICY, 0] != waits[POLICY, 0.5]
    assert waits[POLICY, 0.5] == tt.replay(tt.Shaping.parse(HOW).of(log, 8), POLICY, 8).summary()["mean_wait"]


def test_what_is_wrong_gets_a_sentence(log: tt.Trace) -> None:
    """On the command line and in scenarios."""
    words = ["replay", "log.swf", "--processors", 8, "--quiet", "--shapes"]
    assert refusal_of(*words, "share=2") == "share must be a share of the jobs, from 0 to 1, not 2.0"
    assert refusal_of(*words, "sharee=1").startswith("--shapes has no key 'sharee'; did you mean 'share'?")
    assert "there is no file none.csv" in refusal_of(*words, "none.csv")
    for text, sentence in (
        (SCENARIO.replace("least = 0.5", "least = 2"), "shapes: least must be a multiple of a job's size above 0"),
        (SCENARIO.replace("trace.file = ", "model.function = "), "has .shapes., which are of the jobs of a log"),
    ):
        with pytest.raises(ValueError, match=sentence):
            tt.Scenario.from_text(text.replace('"log.swf"', '"own.py:f"') if "function" in text else text)
