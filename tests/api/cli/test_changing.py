"""`thinktime replay`, `feedback` and `expectations` on a machine that changes."""

import json
from pathlib import Path

import pandas as pd
import pytest

import thinktime as tt
from thinktime.analysis.expectations.evaluate import evaluate
from thinktime.models.results.summary import Summary

from .conftest import HEADER, Fails, Run, line

OPTIONS = (
    *("--failures", "mtbf=30min,mttr=2min,shape=0.7", "--on-failure", "requeue", "--requeue-at", "now"),
    *(
        "--max-restarts", "4", "--checkpoint", "1min,cost=1s,restart=2s", "--repairs", "told", "--suspended-holds",
        "all",
    ),
)  # fmt: skip
EVENTS = "kind,start,end,processors\nwindow,100,160,2\noutage,30,400,1\ncapacity,0,20,1\n"


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A log of twenty jobs, recorded without waits."""
    lines = [line(k, 40 * k, 20 + 37 * k % 90, 1 + k % 3, 200) for k in range(1, 21)]
    path = tmp_path / "busy.swf"
    path.write_text(HEADER + "\n".join(lines) + "\n")
    (tmp_path / "events.csv").write_text(EVENTS)
    return path


def expected(log: Path, seed: int = 1) -> tt.Changes:
    """What the options say, in Python."""
    read = tt.read_events(log.with_name("events.csv"))
    failures = tt.Failures("30min", "2min", shape=0.7, seed=seed)
    return tt.Changes(
        read.windows, read.outages, failures, "told", requeue_at="now", max_restarts=4, checkpoint=60, cost=1, restart=2
    )


def test_a_replay_is_the_one_that_python_says(busy: Path, run: Run) -> None:
    """The options make the changes that the same words in Python make, under every policy."""
    events = busy.with_name("events.csv")
    outcome = run(
        "replay", busy, "--events", events, *OPTIONS, "--policy", "easy", "--policy", "conservative", "--json"
    )
    assert outcome.status == 0, outcome.err
    log = tt.read_swf(busy)
    for found in json.loads(outcome.out)["policies"]:
        spec = tt.MachineSpec(log.machine_size, found["policy"], changes=expected(busy))
        summary: Summary = tt.replay(log, spec).summary()
        names = ("mean_wait", "p95_wait", "utilization", "makespan", "killed", "finished")
        assert {name: found[name] for name in names} == {name: summary[name] for name in names}


def test_the_conditions_name_the_changes(busy: Path, run: Run) -> None:
    """Below the table stands what changes, and the seed of the failures."""
    said = " ".join(run("replay", busy, *OPTIONS, "--policy", "easy").out.split())
    assert "changes: failures mtbf=30min,mttr=2min,shape=0.7,seed=1, repairs told, requeue_at now" in said
    own = " ".join(run("replay", busy, "--failures", "mtbf=1h,mttr=1s,seed=8", "--policy", "easy").out.split())
    assert "changes: failures mtbf=1h,mttr=1s,seed=8; slowdown" in own


def test_the_table_shows_interruptions_if_the_machine_changes(busy: Path, run: Run) -> None:
    """The table has the goodput and the number of interruptions of each policy; without changes it has neither."""
    failing = ("--failures", "mtbf=30min,mttr=2min")
    said = run("replay", busy, *failing, "--policy", "easy").out
    log = tt.read_swf(busy)
    spec = tt.MachineSpec(log.machine_size, "easy", changes=tt.Changes(failures=tt.Failures("30min", "2min")))
    summary = tt.replay(log, spec).summary()
    assert summary["interruptions"] > 0
    row = next(line for line in said.splitlines() if line.startswith("easy "))
    assert row.split()[-2:] == [f"{summary['goodput']:.1%}", f"{summary['interruptions']}"]
    assert "interrupted: runs broken off" in said
    assert max(map(len, said.splitlines())) <= 100
    assert "rupted" not in run("replay", busy, "--policy", "easy").out


def test_preemption_alone_shows_interruptions(busy: Path, run: Run) -> None:
    """If one policy preempts, the columns are there for all; under the others no job is interrupted."""
    said = run("replay", busy, "--policy", "easy", "--policy", "easy:preempt=requeue,ranks=urgent:1").out
    rows = [line.split() for line in said.splitlines() if line.startswith("easy") and " is " not in line]
    assert rows[0][-2:] == rows[1][-2:]
    assert rows[0][-1] == "0"


def test_events_after_the_last_job_are_noted(busy: Path, run: Run) -> None:
    """If no window and no outage is in the time of the run, a sentence below the table says so."""
    events = busy.with_name("late.csv")
    events.write_text("kind,start,end,processors\nwindow,90000,90001,2\noutage,80000,90000,1\n")
    said = " ".join(run("replay", busy, "--events", events, "--policy", "easy").out.split())
    assert "All windows and outages begin after the last job has ended, " in said
    events.write_text(f"{events.read_text()}outage,10,20,0\n")
    assert "begin after" not in run("replay", busy, "--events", events, "--policy", "easy").out


def test_a_restart_without_checkpoints(busy: Path, run: Run) -> None:
    """With none as the interval of checkpoints, a restart may still be given."""
    words = ("--policy", "easy", "--failures", "mtbf=10min,mttr=2min")
    found = json.loads(run("replay", busy, *words, "--checkpoint", "none,restart=5s", "--json").out)
    assert found["changes"].endswith("seed=1, restart 5s")


def test_objects_name_the_changes(busy: Path, run: Run) -> None:
    """The objects of --json say in words what changes, and have no such key if nothing does."""
    words = ("--failures", "mtbf=30min,mttr=2min,seed=4", "--policy", "easy", "--json")
    for command in ("replay", "feedback", "expectations"):
        found = json.loads(run(command, busy, *words).out)
        assert found["changes"] == "failures mtbf=30min,mttr=2min,seed=4"
        assert "changes" not in json.loads(run(command, busy, "--policy", "easy", "--json").out)


def test_runs_are_written(busy: Path, run: Run, tmp_path: Path) -> None:
    """With --out, each policy has a table of runs; without changes there is none."""
    out = tmp_path / "out"
    assert run("replay", busy, *OPTIONS, "--policy", "easy", "--out", out).status == 0
    table = pd.read_csv(out / "easy" / "runs.csv")
    columns = "job,run,start,end,processors,indices,how,progress,overhead,lost"
    assert (out / "easy" / "runs.csv").read_text().splitlines()[0] == columns
    log = tt.read_swf(busy)
    failures = tt.Failures("30min", "2min", shape=0.7)
    more = {"repairs": "told", "requeue_at": "now", "max_restarts": 4, "checkpoint": 60, "cost": 1, "restart": 2}
    runs = tt.replay(log, "easy", changes=tt.Changes(failures=failures, **more)).runs
    assert (runs.how == "failed").any()
    pd.testing.assert_frame_equal(table, runs, check_dtype=False)
    assert run("replay", busy, "--policy", "easy", "--out", tmp_path / "plain").status == 0
    assert not (tmp_path / "plain" / "easy" / "runs.csv").exists()


def test_feedback_has_the_failures_of_its_seed(busy: Path, run: Run, tmp_path: Path) -> None:
    """Feedback takes the same options; its failures have its seed, so they are others under another one."""
    waits = []
    for seed in (1, 2):
        out = tmp_path / f"out {seed}"
        words = ("--failures", "mtbf=30min,mttr=2min,shape=0.7", "--seed", seed, "--json")
        outcome = run(
            "feedback", busy, *words, "--policy", "easy", "--mode", "open", "--mode", "feedback", "--out", out
        )
        assert outcome.status == 0, outcome.err
        waits.append(json.loads(outcome.out)["modes"]["open"]["easy"]["mean_wait"])
        log = tt.read_swf(busy)
        changes = tt.Changes(failures=tt.Failures("30min", "2min", shape=0.7, seed=seed))
        assert waits[-1] == tt.replay(log, "easy", changes=changes).summary()["mean_wait"]
        assert (out / "feedback" / "easy" / "runs.csv").exists()
    assert waits[0] != waits[1]


def test_feedback_measures_a_machine_that_changes(busy: Path, run: Run) -> None:
    """Each mode has the measures that a replay has, and a sentence on interruptions, if there are any."""
    words = ("--failures", "mtbf=10min,mttr=2min,seed=3", "--policy", "easy")
    replayed = json.loads(run("replay", busy, *words, "--json").out)["policies"][0]
    found = json.loads(run("feedback", busy, *words, "--json").out)["modes"]
    names = ("goodput", "utilization_of_available", "availability", "interruptions", "lost_work", "mtti")
    assert {name: found["open"]["easy"][name] for name in names} == {name: replayed[name] for name in names}
    assert found["feedback"]["easy"]["interruptions"] > 0
    said = " ".join(run("feedback", busy, *words).out.split())
    hours = f"{replayed['lost_work'] / 3600:,.0f} processor-hours lost"
    assert f"open: jobs were interrupted {replayed['interruptions']} times under easy ({hours})." in said
    for calm in ("easy", "shapes"):
        assert "interrupted" not in run("feedback", busy, "--policy", calm).out


def test_expectations_of_a_machine_that_changes(busy: Path, run: Run, fails: Fails) -> None:
    """Expectations take the same options for simulated schedules, and need a policy for them."""
    words = ("--events", busy.with_name("events.csv"), *OPTIONS)
    found = json.loads(run("expectations", busy, *words, "--policy", "easy", "--json").out)
    log = tt.read_swf(busy)
    result = tt.replay(log, tt.MachineSpec(log.machine_size, "easy", changes=expected(busy)))
    jobs = evaluate(result)
    assert found["policies"]["easy"]["violated_jobs"] == int(jobs.violated.sum()) > 0
    assert found["changes"].startswith("2 windows, 1 outage, failures mtbf=30min")
    said = " ".join(run("expectations", busy, *words, "--policy", "easy").out.split())
    assert f"Under the policies the machine changes: {found['changes']}." in said
    sentence = "--events is for simulated schedules, and the log's own is evaluated as it is; give --policy"
    assert fails("expectations", busy, *words) == sentence


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--failures", "mtbf=3d"), "--failures: failures need mttr"),
        (("--failures", "mtbf=x,mttr=3"), "--failures: mtbf must be a duration above 0, such as 30d or 4h, not 'x'"),
        (("--failures", "mtbf=3,mttr=3,seed=x"), "--failures: seed must be a whole number"),
        (("--checkpoint", "1x"), "--checkpoint: checkpoint must be a duration of at least 0"),
        (("--checkpoint", "0"), "--checkpoint: checkpoint must be at least 0.0009765625 s"),
        (("--checkpoint", "1h,costs=1"), "--checkpoint: checkpoint must be such as 1h or 1h,cost=30s,restart=2m"),
        (("--on-failure", "requeu"), "--on-failure cannot be 'requeu'; did you mean 'requeue'?"),
        (("--requeue-delay", "-1"), "--requeue-delay: requeue_delay must be a duration of at least 0"),
        (("--requeue-at", "later"), "--requeue-at cannot be 'later'; the choices are now, original"),
        (("--repairs", "tell"), "--repairs cannot be 'tell'"),
        (("--suspended-holds", "some"), "--suspended-holds cannot be 'some'"),
        (("--max-restarts", "-1"), "invalid value for '--max-restarts'"),
        (("--events", "nope.csv"), "there is no file nope.csv"),
        (("--events", "."), ". is a folder; give a CSV file"),
        (("--overrun", "until_needed", "--checkpoint", "1h"), "a machine that changes cannot be combined with overrun"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "feedback", "expectations"])
def test_wrong_words_are_one_sentence(
    busy: Path, fails: Fails, command: str, words: tuple[str, ...], message: str
) -> None:
    """Each option's wrong values end with status 2 and a sentence that names the option."""
    assert fails(command, busy, *words, "--policy", "easy").startswith(message)


def test_wrong_events_are_named_with_their_line(busy: Path, fails: Fails) -> None:
    """A wrong line of a file of events is named by file and line; the machine and the times are those of the log."""
    path = busy.with_name("events.csv")
    for row, message in (
        ("window,100,190,5", "it takes 5 processors, but the machine has 4"),
        ("window,1990-07-15,2003-07-16,2", "start is '1990-07-15', 4074d before the log's start"),
    ):
        path.write_text(f"kind,start,end,processors\n{row}\n")
        assert fails("replay", busy, "--events", path).startswith(f"{path}, line 2: {message}")
