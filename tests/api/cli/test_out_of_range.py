"""Numbers that nobody means, values of another kind, and no standard output: one sentence, status 2."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.how_many import in_turn
from thinktime.analysis.experiments import Scenario

from .conftest import Fails
from .test_process import COMMAND


@pytest.mark.parametrize("command", [("expectations",), ("study", "expectations")])
@pytest.mark.parametrize("digits", ["9" * 20, "9" * 5000, str(2**31 + 1)])
def test_capacities(log: Path, fails: Fails, command: tuple[str, ...], digits: str) -> None:
    """A user cannot be expected to have more processors than a machine may have."""
    sentence = fails(*command, log, "--capacity", digits)
    assert sentence.startswith("--capacity must be at most 2,147,483,648, not '") and len(sentence) < 120


@pytest.mark.parametrize("memory", ["9" * 20, "9" * 5000, "9999999999tb", "0"])
def test_memory_of_capacities(log: Path, fails: Fails, memory: str) -> None:
    """A user cannot be expected to have more memory than a machine may have."""
    sentence = fails("expectations", log, "--capacity", f"4,{memory}")
    assert sentence.startswith(
        "--capacity: memory must be bytes, or a number with kb, mb, gb or tb, below 2^62 bytes, not"
    )


@pytest.mark.parametrize("number", ["100001", "9" * 20, "9" * 5000])
def test_replications(log: Path, tmp_path: Path, fails: Fails, number: str) -> None:
    """More than 100,000 replications are refused, on the command line and in scenarios."""
    for words in (("feedback", log), ("study", "feedback", "--quick")):
        sentence = fails(*words, "--replications", number)
        assert sentence.startswith("--replications must be at most 100,000, not '") and len(sentence) < 120
    scenario = tmp_path / "one.toml"
    scenario.write_text('policies = ["fcfs"]\nmachine.processors = 4\nworkload.recipe = "lublin"\n')
    if len(number) < 100:
        said = fails("run", scenario, "--set", f"replications={number}")
        assert "replications must be at most 100,000, not 1" in said or "not 9" in said


@pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
@pytest.mark.parametrize("words", in_turn(2, [("--help",), ("policies",), ("--version",), ("replay", "log")]))
def test_closed_standard_output(log: Path, words: tuple[str, ...]) -> None:
    """A closed standard output is reported on standard error, if that is open."""
    line = " ".join([*COMMAND, *words]).replace("log", str(log))
    done = subprocess.run(f"{line} >&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith("thinktime: error: standard output is closed")
    done = subprocess.run(f"{line} >&- 2>&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_head(log: Path) -> None:
    """`| head -1` gets its line without any complaint, however much would follow."""
    log.write_text("".join(f"; Label{i}: {'value ' * 20}\n" for i in range(700)) + log.read_text())
    line = " ".join([*COMMAND, "trace", "info", str(log)])
    done = subprocess.run(f"{line} | head -1", shell=True, capture_output=True, text=True)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


SCENARIO: dict[str, Any] = {"horizon": 3600, "machine": {"processors": 4}, "policies": ["fcfs"]}
USER: dict[str, Any] = {"runtime": 60, "jobs": 1, "think_time": 60}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("runtime", {"kind": []}, r"has no kind \[\]"),
        ("runtime", {"kind": {}}, r"has no kind \{\}"),
        ("runtime", {"kind": "uniform", "low": [], "high": 3}, "low must be a number"),
        ("think_time", {"reaction": [], "factor": 2}, r"cannot react to \[\]"),
        ("think_time", {"reaction": {}, "factor": 2}, r"cannot react to \{\}"),
        ("runtime", {"distribution": [], "a": 1}, "needs a distribution of scipy.stats"),
    ],
)
def test_kinds_of_another_kind(key: str, value: Any, words: str) -> None:
    """A kind that is a list or a table is answered with the known kinds."""
    with pytest.raises(ValueError, match=words):
        Scenario.from_tables({**SCENARIO, "users": {"ada": {**USER, key: value}}})


plain = (
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats()
    | st.sampled_from(
        ["", "uniform", "exact", "7 d", "x", "short", "response_time", "first-fit", "kind", "norm", "1:ppn=2"]
    )
)
keys = st.sampled_from(
    ["kind", "low", "high", "values", "weights", "reaction", "base", "factor", "distribution", "loc", "scale", "x",
     "when", "windows", "wait", "longer", "p", "start", "end", "days", "count"]
)  # fmt: skip
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=8
)


@given(
    key=st.sampled_from(
        [
            "runtime", "jobs", "think_time", "processors", "overestimate", "first", "hours", "behaviours", "count",
            "nodes", "profile",
        ]
    ),
    value=values,
)  # fmt: skip
def test_any_value_of_users(key: str, value: Any) -> None:
    """Any value in the table of users makes users or one sentence."""
    try:
        Scenario.from_tables({**SCENARIO, "users": {"ada": {**USER, key: value}}})
    except ValueError as error:
        assert "\n" not in str(error)


@given(
    key=st.sampled_from(["behaviours.patience", "behaviours.balk", "behaviours.delay", "behaviours.adapt", "hours"]),
    value=values,
)
def test_any_behaviour(key: str, value: Any) -> None:
    """Any value in the table of behaviours makes a behaviour or one sentence."""
    table, _, name = key.partition(".")
    try:
        Scenario.from_tables({**SCENARIO, "users": {"ada": {**USER, table: {name: value} if name else value}}})
    except ValueError as error:
        assert "\n" not in str(error)
