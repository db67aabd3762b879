"""`thinktime now`: a forecast from a snapshot, and its score."""

import datetime
import json
import zoneinfo
from pathlib import Path

import numpy as np
import pytest

import thinktime as tt
from tests.models.machine.cuts import taking
from tests.models.snapshot import made_up
from thinktime.analysis.now.kept import kept
from thinktime.analysis.now.present import Present
from thinktime.models.machine.another_policy import under_policy
from thinktime.users.office_log import made_up_log

from .conftest import Run

HEAD = "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|TimelimitRaw|NNodes|AllocCPUS"


@pytest.fixture(name="folder")
def write_snapshot(tmp_path: Path) -> Path:
    """A snapshot that is made up."""
    return made_up.write(tmp_path / "now")


def _history(folder: Path, state: float, unix: float) -> None:
    """Thirty jobs of the users of the snapshot, one an hour, each for half an hour."""
    now, lines = int(unix + state), [HEAD]
    for k in range(30):
        begun = now - 3600 * (31 - k)
        user = ("ann", "bob", "cem")[k % 3]
        times = f"{begun}|{begun}|{begun + 60}|{begun + 1860}"
        lines.append(f"{k + 900}|{k + 900}|wide|{user}|physics|batch|normal|COMPLETED|{times}|60|1|2")
    (folder / "sacct.psv").write_text("\n".join([*lines, ""]))


def test_the_queue_of_a_snapshot(run: Run, folder: Path, tmp_path: Path) -> None:
    """Every waiting job has a row with its intervals; the file and the page have the same jobs."""
    present = Present.read(folder)
    _history(folder, present.state.time, present.unix_start or 0.0)
    out = tmp_path / "out"
    words = "now", "--from", folder, "--draws", "5", "--until", "6h", "--quiet"
    outcome = run(*words, "--json", "--out", out)
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["draws"] == 5
    assert sum(told["run_times_foretold"]["new"]) == pytest.approx(1.0)
    assert told["jobs"]
    for job in told["jobs"]:
        assert set(job["intervals"]) == {"50%", "80%", "95%"}
        low, high = job["intervals"]["95%"]
        assert job["median"] is None or low <= job["median"]
        assert high is None or low <= high
    assert json.loads((out / "now.json").read_text()) == told
    page = (out / "now.html").read_text()
    assert all(f"<td>{job['id']}</td>" in page for job in told["jobs"])
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert kept(out).starts.shape == (5, len(told["jobs"]))
    outcome = run(*words)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert "Run times: of the last 3 jobs of the history" in " ".join(outcome.out.split())
    assert all(sum(line.startswith(f"{job['id']} ") for line in lines) == 1 for job in told["jobs"]), "a line each"
    assert "now it is Fri 2027-01-15 09:16 CET" in lines[0]
    whole = " ".join(run(*words, "--for", "bob").out.split())
    assert "95 %" in whole and "run time from" in whole


def test_fitted_users_go_on_at_a_site(run: Run, folder: Path) -> None:
    """On nodes, with accounts and partitions: who comes is said, and that it needs a history."""
    words = "now", "--from", folder, "--draws", "3", "--until", "6h", "--quiet", "--arrivals", "calibrated"
    outcome = run(*words)
    assert outcome.status == 2
    assert "arrivals are calibrated, and there is no history" in " ".join(outcome.err.split())
    present = Present.read(folder)
    _history(folder, present.state.time, present.unix_start or 0.0)
    outcome = run(*words)
    assert outcome.status == 0, outcome.err
    assert "Who comes: users with hazards that were fitted to the history." in " ".join(outcome.out.split())


def test_a_job_that_can_never_start_says_why(run: Run, folder: Path) -> None:
    """One of a user whom the site does not know, and not one of a user whom it knows."""
    words = "now", "--from", folder, "--draws", "2", "--until", "1h", "--quiet"
    outcome = run(*words, "--job", "user=zed,time=1h", "--job", "user=ann,time=5m", "--json")
    told = json.loads(outcome.out)["asked"]
    assert told["user=zed,time=1h"]["never"] == "never: user zed has no association there"
    assert told["user=ann,time=5m"]["never"] is None
    assert "never: user zed" in " ".join(run(*words, "--job", "user=zed,time=1h").out.split())


def test_windows_and_failures_of_a_site(run: Run, folder: Path, tmp_path: Path) -> None:
    """A window of a node makes jobs wait; failures are drawn from a text."""
    events = tmp_path / "maintenance.csv"
    events.write_text("start,end,kind,processors\n2027-01-15 09:20,+2h,maintenance,m2\n")
    words = "now", "--from", folder, "--draws", "3", "--until", "6h", "--quiet", "--json"
    outcome = run(*words, "--events", events, "--failures", "mtbf=50h,mttr=1h")
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["changes"]["maintenance.csv"]["longer_wait_of_those_who_wait_now"]["mean"] > 600


def test_a_job_past_its_limit_ends_at_once(run: Run, folder: Path) -> None:
    """It runs for longer than its limit: it ends within Slurm's grace, and that is said."""
    jobs = (folder / "jobs.txt").read_text()
    (folder / "jobs.txt").write_text(
        jobs.replace("RunTime=00:05:00 TimeLimit=00:10:00", "RunTime=00:05:00 TimeLimit=00:04:00")
    )
    outcome = run("now", "--from", folder, "--draws", "2", "--until", "1h", "--quiet", "--json")
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert "running jobs past their limits: they end within 30 s (1)" in told["notes"]


def test_alternatives_and_changes(run: Run, folder: Path) -> None:
    """Each alternative has a row, and each change says who gains and who loses."""
    words = "now", "--from", folder, "--draws", "3", "--until", "3h", "--quiet", "--arrivals", "none"
    jobs = "user=ann,processors=1,time=10m", "user=ann,processors=2,time=4h"
    outcome = run(*words, "--job", jobs[0], "--job", jobs[1], "--change", "backfill.bf_max_job_test=1", "--json")
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert list(told["asked"]) == list(jobs)
    (change,) = told["changes"].values()
    assert change["gain"] + change["lose"] <= len(told["jobs"])
    assert any("run to their limits" in note for note in told["notes"]), "there is no history"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "thinktime now needs --from"),
        (("--from", "nowhere"), "there is no such file or folder"),
        (("--from", ".", "--draws", "0"), "--draws"),
        (("--from", "SNAPSHOT", "--job", "processors=3"), "it needs a limit above 0"),
        (("--from", "SNAPSHOT", "--job", "procesors=3,time=1h"), "did you mean 'processors'"),
        (("--from", "SNAPSHOT", "--job", "time=1h,time=2h"), "time is given twice"),
        (("--from", "SNAPSHOT", "--change", "backfill"), "write PATH=VALUE"),
        (("--from", "SNAPSHOT", "--change", "backfill.nothing=1"), "--change 'backfill.nothing=1'"),
        (("--from", "SNAPSHOT", "--arrivals", "many"), "--arrivals"),
        (("--from", "SNAPSHOT", "--failures", "mtbf=3d"), "--failures: failures need mttr"),
        (("--from", "SNAPSHOT", "--events", "nowhere.csv"), "there is no file nowhere.csv"),
        (("--from", "SNAPSHOT", "--change", "maintenance=1h/2h"), "the window begins before the snapshot"),
        (("--from", "SNAPSHOT", "--for", "bobb"), "knows this user; did you mean 'bob'?"),
        (("--from", "SNAPSHOT", "--job", "partition=batsh,time=1h"), "no partition 'batsh'; did you mean 'batch'?"),
        (("--from", "SNAPSHOT", "--job", "qos=slow,time=1h"), "the site has no qos 'slow'; its qos are"),
        (("score", "nowhere", "--log", "x.swf"), "there is no such folder"),
        (("score", "SNAPSHOT", "--log", "x.swf"), "has no starts.npz"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, folder: Path, words: tuple[str, ...], sentence: str) -> None:
    """What is wrong, and nothing else."""
    outcome = run("now", *(str(folder) if word == "SNAPSHOT" else word for word in words), "--quiet")
    assert outcome.status == 2
    assert sentence in " ".join(outcome.err.split())
    assert "Traceback" not in outcome.err


def test_a_history_without_a_date_is_refused(run: Run, folder: Path, tmp_path: Path) -> None:
    """A snapshot is of a date, so its history has to say when it began, in whatever zone."""
    log = tt.Trace({"submit": [0, 50], "wait": [9, 0], "runtime": [20, 20], "allocated": [1, 1], "user": [1, 2]})
    tt.write_swf(log, tmp_path / "log.swf")
    outcome = run("now", "--from", folder, "--history", tmp_path / "log.swf", "--quiet")
    assert outcome.status == 2
    assert "the history does not say when it began (UnixStartTime)" in " ".join(outcome.err.split())


def test_a_series_is_scored(run: Run, folder: Path, tmp_path: Path) -> None:
    """Forecasts of a snapshot, scored against a log in which every job started ten minutes later."""
    present = Present.read(folder)
    out = tmp_path / "one"
    assert (
        run(
            "now", "--from", folder, "--draws", "4", "--until", "3h", "--arrivals", "none", "--out", out, "--quiet"
        ).status
        == 0
    )
    one, lines = kept(out), [HEAD]
    unix = present.unix_start or 0.0
    for job, submit, count in zip(one.label.tolist(), one.submit.tolist(), one.processors.tolist(), strict=True):
        submitted, start = int(submit + unix), int(one.unix + 600)
        times = f"{submitted}|{submitted}|{start}|{start + 60}"
        lines.append(f"{job}|{job}|x|ann|physics|batch|normal|COMPLETED|{times}|60|1|{count}")
    log = tmp_path / "later.psv"
    log.write_text("\n".join([*lines, ""]))
    outcome = run("now", "score", out, "--log", log, "--json", "--quiet", "--out", tmp_path / "score")
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["jobs"] == len(one.label)
    assert set(told["methods"]) >= {"thinktime", "past waits", "mean past wait"}
    assert (tmp_path / "score" / "calibration.png").stat().st_size > 1000
    assert np.isfinite(told["methods"]["thinktime"]["crps"]["value"])
    page = (tmp_path / "score" / "one.html").read_text()
    held = round(told["coverage"]["80%"]["value"] * told["jobs"])
    assert f"80 % intervals hold {held} of {told['jobs']} starts." in page
    when = f"{datetime.datetime.fromtimestamp(one.unix + 600, zoneinfo.ZoneInfo('Europe/Berlin')):%a %H:%M}"
    assert page.count(f"<td>{when}</td>") >= told["jobs"] and page.count('class="came"') == told["jobs"] + 1
    (out / "now.json").write_text('{"jobs": []')
    outcome = run("now", "score", out, "--log", log, "--quiet", "--out", tmp_path / "again")
    assert outcome.status == 2 and "now.json is damaged" in outcome.err


def test_a_state_in_a_file(run: Run, tmp_path: Path) -> None:
    """From the state of a replay and its log, in Python and as a command, the numbers are the same."""
    log = made_up_log(weeks=1, users=6)
    states: list[tt.MachineState] = []
    alone = tt.run(tt.MachineSpec(8), log)
    longest = int(np.argmax(alone["start"] - alone["submit"]))
    moment = float((alone["start"][longest] + alone["submit"][longest]) // 2)
    result = tt.run(tt.MachineSpec(8), log, taking([moment], states))
    result.to_swf(tmp_path / "log.swf", site=True)
    states[0].save(tmp_path / "now.state")
    words = "--history", tmp_path / "log.swf", "--draws", "4", "--until", "4h", "--seed", "3", "--quiet", "--json"
    outcome = run("now", "--from", tmp_path / "now.state", *words)
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    history = tt.read_swf(tmp_path / "log.swf", withdrawn="queue")
    found = tt.forecast(states[0], history, draws=4, until="4h", seed=3)
    median = dict(zip(found.waiting.id.tolist(), found.median().tolist(), strict=True))
    assert told["jobs"]
    assert {int(job["id"]): job["median"] or np.inf for job in told["jobs"]} == median
    words = "now", "--from", tmp_path / "now.state", *words, "--change"
    told = json.loads(run(*words, "policy=easy:order=ljf").out)["changes"]["policy=easy:order=ljf"]
    ljf = {"ljf": under_policy(states[0], "easy:order=ljf")}
    moved = tt.forecast(states[0], history, draws=4, until="4h", seed=3, changes=ljf).by_job("ljf")[0]
    assert told["later_start"] == {str(job): by for job, by in zip(median, moved.tolist(), strict=True)}
    assert sum(told[key] for key in ("gain", "lose")) <= len(median)
    for change, sentence in (
        ("backfill.bf_max_job_test=1", "a state has no site"),
        ("policy=slack:awt=30", "--change 'policy=slack:awt=30': a state that goes on under another policy cannot"),
        ("policy=esy", "did you mean 'easy'"),
    ):
        outcome = run(*words, change)
        assert outcome.status == 2
        assert sentence in " ".join(outcome.err.split())
