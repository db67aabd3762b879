"""Logs whose jobs may have several sizes, on the command line and in scenarios."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
import typer

import thinktime as tt
from tests.commands import refusal_of, stdout_of
from tests.models.site import pluto
from thinktime.analysis.expectations.capacity import Capacity
from thinktime.analysis.expectations.evaluate import evaluate
from thinktime.analysis.experiments.scenario_sources import jobs_of
from thinktime.cli.app import app
from thinktime.workloads.calibration.calibrate import fitted_once
from thinktime.workloads.shapes.of_logs import read_shapes, shapes_of

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
        (SCENARIO.replace("trace.file = ", "model.function = "), "are assumed of the jobs of a log or an open recipe"),
    ):
        with pytest.raises(ValueError, match=sentence):
            tt.Scenario.from_text(text.replace('"log.swf"', '"own.py:f"') if "function" in text else text)


def commands(group: Any, *words: str) -> Iterator[tuple[str, set[str]]]:
    """All commands below one, with their options."""
    for name in group.list_commands(click.Context(group)):
        each = group.get_command(click.Context(group), name)
        yield " ".join((*words, name)), {option for given in each.params for option in given.opts}
        if hasattr(each, "list_commands"):
            yield from commands(each, *words, name)


def test_every_command_that_schedules_a_log_takes_them() -> None:
    """Where a policy or a change of a machine can be named, jobs may have several sizes."""
    named = dict(commands(typer.main.get_command(app)))
    found = {name: options for name, options in named.items() if not name.startswith("study ")}
    schedules = {name for name, options in found.items() if options & {"--policy", "--change"}}
    assert schedules == {name for name, options in found.items() if "--shapes" in options}
    assert {"replay", "feedback", "expectations", "generate", "site whatif", "now"} <= schedules


def test_a_site_is_asked_what_if(tmp_path: Path) -> None:
    """Other schedulers at a site have them, in every mode; its own leaves jobs as they are, and users may respond."""
    log, site = pluto.write(tmp_path), tmp_path / "pluto.toml"
    how = ("--shapes", "least=0.5,most=2", "--json", "--quiet")
    words = ("site", "whatif", site, log, "--workers", 1, "--policy", POLICY, "--metric", "mean_wait", *how)
    told = json.loads(stdout_of(*words, "--mode", "open", "--mode", "feedback"))
    assert any("5 malleable of 5 jobs" in note for note in told["notes"])
    for mode, of in told["modes"].items():
        command = ("replay", log) if mode == "open" else ("feedback", log, "--mode", mode)
        for name, policy in (("today", "site"), (POLICY, POLICY)):
            alone = json.loads(stdout_of(*command, "--site", site, "--policy", policy, *how))
            said = alone["policies"][0] if mode == "open" else alone["modes"][mode][policy]
            assert of[name]["mean_wait"]["mean"] == pytest.approx(said["mean_wait"])
    (tmp_path / "respond.toml").write_text('[behaviours.renounce]\nwhen = { windows = [[0, "15 s"]] }\n')
    late = ("--respond", tmp_path / "respond.toml")
    with_users = json.loads(stdout_of(*words, "--mode", "open", *late))["modes"]["open"][POLICY]["mean_wait"]["mean"]
    alone = json.loads(stdout_of("replay", log, "--site", site, "--policy", POLICY, *how, *late))["policies"][0]
    assert with_users == pytest.approx(alone["mean_wait"]) != told["modes"]["open"][POLICY]["mean_wait"]["mean"]
    (tmp_path / "respond.toml").write_text('seed = 3\n[behaviours.renounce]\nwhen = { windows = [[0, "15 s"]] }\n')
    assert "who responds is drawn with --seed here" in refusal_of(*words, *late)
    assert "give --change or --policy" in refusal_of("site", "whatif", site, log)


@pytest.mark.parametrize("nodes", [False, True])
def test_copies_of_jobs_keep_them(log: tt.Trace, nodes: bool) -> None:
    """In a log whose users are drawn anew, each job has the sizes that it has in the file; the rigid ones have none."""
    rows = [f"{job},{2 * n},linear" for job, n in zip(log.id[::2], log.processors[::2], strict=True)]
    Path("sizes.csv").write_text("\n".join(("job,max_processors,speedup", *rows)))
    machine = "nodes = [{ count = 2, processors = 4 }]" if nodes else "processors = 8"
    text = f'policies = ["{POLICY}"]\nshapes.file = "sizes.csv"\n[machine]\n{machine}\n[trace]\nfile = "log.swf"\n'
    drawn: Any = jobs_of(tt.Scenario.from_text(text + "resample = true\n"), 3)
    drawn = drawn.trace if nodes else drawn
    known = read_shapes(log, "sizes.csv")
    found = shapes_of(drawn)
    assert drawn.submit.tolist() != log.submit.tolist()
    assert found is not None and (found.codes < 0).any() and (found.codes >= 0).any()
    for row, code in enumerate(found.codes.tolist()):
        assert code < 0 or found.shapes[code].every[-1] == 2 * drawn.processors[row]
        pair = drawn.runtime[row], drawn.processors[row]
        before = (known.runtime == pair[0]) & (known.processors == pair[1])
        assert (code >= 0) in (shapes_of(known).codes[before] >= 0)


def test_users_are_fitted_once_for_all_sizes(log: tt.Trace) -> None:
    """Whichever jobs may have several sizes, users are those of the log as it is."""
    before = fitted_once.cache_info().misses
    done = tt.sweep(tt.Scenario.from_text(f'trace.mode = "calibrated"\n{SCENARIO}'), "out", processes=1)
    assert fitted_once.cache_info().misses == before + 1
    waits = {(each["policy"], each["shapes.share"]): each["mean_wait"] for each in done.table.to_dict("records")}
    assert waits["easy", 0] == waits[POLICY, 0] != waits[POLICY, 0.5]
    some = tt.Shaping.parse(HOW).of(log, 8)
    anew = tt.run(tt.MachineSpec(8, POLICY), tt.sources.calibrated(some, tt.calibrate(some, score=False)))
    assert waits[POLICY, 0.5] == anew.summary()["mean_wait"]


def test_expected_ends_are_those_of_the_preferred_size(log: tt.Trace) -> None:
    """A user who counts on a size is late if the scheduler gives less, though the job then runs for longer."""
    words = ["expectations", "log.swf", "--processors", 8, "--capacity", 8, "--quiet", "--json", "--shapes", HOW]
    told = json.loads(stdout_of(*words, "--policy", "easy", "--policy", "shapes:size=min"))
    assert "malleable of 24 jobs" in told["notes"][0]
    one = tt.Trace({"submit": [0], "runtime": [100], "allocated": [4], "user": [1]})
    some = tt.Shaping(least=0.25, most=1, speedup="linear").of(one, 8)
    rigid, small = (tt.replay(some, policy, 8) for policy in ("easy", "shapes:size=min"))
    capacity = Capacity("constant", {"processors": 4})
    ends = [evaluate(result, capacity).eet.tolist() for result in (rigid, small)]
    assert ends[0] == ends[1] == [100.0] and small["end"].tolist() == [400.0]
    assert "give --policy" in refusal_of(*words)


def test_forecasts_have_them(log: tt.Trace) -> None:
    """Jobs of the past come with them, and a job that is not submitted yet may have some."""
    policy = "shapes:size=largest"
    stdout_of("replay", "log.swf", "--processors", 8, "--policy", policy, "--shapes", HOW, "--quiet",
              "--save-state", "2050:now.state")  # fmt: skip
    words = ["now", "--from", "now.state", "--draws", 3, "--quiet", "--json"]
    jobs = "processors=8,time=10m", "time=10m,shape=1-8 preferred=8 speedup=downey(8, 1)"
    given = [word for job in jobs for word in ("--job", job)]
    told = json.loads(stdout_of(*words, *given, "--history", "log.swf", "--shapes", HOW))
    assert any("malleable of 24 jobs" in note for note in told["notes"])
    rigid, small = (each["median"] for each in told["asked"].values())
    assert small < rigid
    assert refusal_of(*words, "--shapes", HOW) == "--shapes is for the jobs of the past; give --history as well"


def test_generated_logs_have_them(log: tt.Trace) -> None:
    """Beside a log are the sizes of its jobs; under a policy that chooses them, fitted users see other waits."""
    stdout_of("generate", "lublin", "--jobs", 30, "--processors", 16, "--shapes", HOW, "--out", "made.swf")
    made = tt.read_swf("made.swf")
    expected = shapes_of(tt.Shaping.parse(HOW).of(made, 16))
    found = shapes_of(read_shapes(made, "made.shapes.csv"))
    assert found is not None and expected is not None and (found.codes >= 0).sum() == (expected.codes >= 0).sum() > 0
    words = ("generate", "--like", "log.swf", "--processors", 8, "--policy", POLICY, "--out")
    stdout_of(*words, "rigid.swf")
    stdout_of(*words, "some.swf", "--shapes", HOW)
    assert not Path("rigid.shapes.csv").exists()
    rigid, some = tt.read_swf("rigid.swf"), read_shapes(tt.read_swf("some.swf"), "some.shapes.csv", 8)
    assert not np.array_equal(rigid.wait, some.wait)
    assert "--shapes is for logs" in refusal_of("generate", "outages", "--shapes", HOW, "--out", "o.csv")
