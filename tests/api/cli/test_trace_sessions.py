"""The command that shows how the users of a log behave."""

import json

import pytest

from tests.analysis.diagnosis import worlds
from thinktime.workloads import write_swf

LINE = "{number} {submit} {wait} {run} 1 -1 -1 1 {run} -1 1 {user} 1 -1 1 -1 -1 -1"
HEADER = "; MaxProcs: 8\n; UnixStartTime: 1000000000\n; TimeZoneString: Europe/Stockholm\n"


@pytest.fixture(name="log")
def write_log(tmp_path):
    """Two users, twenty batches each, a few hours apart every fourth time."""
    lines, number = [], 0
    for user in (1, 2):
        at = 100 * user
        for k in range(20):
            number += 1
            lines.append((at, LINE.format(number=number, submit=at, wait=10 * k, run=60 * (k + 1), user=user)))
            at += 10 * k + 60 * (k + 1) + (300 if k % 4 else 9000)
    path = tmp_path / "pair.swf"
    path.write_text(HEADER + "\n".join(line for _, line in sorted(lines)) + "\n")
    return path


def test_the_numbers(run, log):
    """Sessions, batches and think times are those worked out by hand."""
    status, out, _ = run("trace", "sessions", log, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["jobs"], found["users"], found["batches"]) == (40, 2, 40)
    assert found["sessions"] == 2 * 6
    assert found["think_time"]["values"] == 38
    assert found["think_time"]["p50"] == 300
    assert found["think_time_within_sessions"]["mean"] == 300
    assert found["think_time"]["negative"] == 0
    assert found["dependencies"] == 38
    assert sum(found["jobs_by_hour"]) == sum(found["jobs_by_weekday"]) == 40
    assert {each["distribution"] for each in found["fits"]["session_length"]} >= {"lognorm", "expon"}
    assert found["think_time_over_response"]["pairs"] == 38


def test_the_delimitation_is_an_option(run, log):
    """With a threshold of 200 s after the last end, no two batches share a session."""
    words = ("--delimitation", "last", "--threshold", "200")
    found = json.loads(run("trace", "sessions", log, *words, "--json").out)
    assert found["sessions"] == 40
    assert (found["delimitation"], found["threshold"]) == ("last", 200)


def test_tables_and_a_picture(run, log, tmp_path, monkeypatch):
    """The picture goes to the current or the given folder, and lines fit into 100 columns."""
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("trace", "sessions", log)
    assert status == 0
    assert "pair-sessions.png" in out
    assert (tmp_path / "pair-sessions.png").exists()
    for words in ("12 sessions, 40 batches", "lognorm", "Think time over response time", "by weekday"):
        assert words in out
    assert all(len(line) <= 100 for line in out.splitlines())
    assert run("trace", "sessions", log, "--out", tmp_path / "out", "--json").status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["pair-sessions.json", "pair-sessions.png"]


def test_a_log_too_small_for_any_fit(run, tmp_path):
    """A log of one job has a page without think times or fits."""
    path = tmp_path / "one.swf"
    path.write_text(HEADER + LINE.format(number=1, submit=0, wait=0, run=60, user=1) + "\n")
    found = json.loads(run("trace", "sessions", path, "--json", "--out", tmp_path / "out").out)
    assert found["think_time"] == {
        "values": 0, "mean": None, "p25": None, "p50": None, "p75": None, "p95": None, "negative": None,
    }  # fmt: skip
    assert found["fits"]["think_time"] == []
    assert found["think_time_over_response"] is None


def test_a_wrong_delimitation_is_refused(fails, log):
    """An unknown delimitation is refused with the choices."""
    assert fails("trace", "sessions", log, "--delimitation", "first").startswith("--delimitation cannot be 'first'")


def test_a_generated_log_has_no_waits(run, tmp_path, monkeypatch):
    """A generated log is refused with how to get waits, after which the command works."""
    monkeypatch.chdir(tmp_path)
    assert run("generate", "poisson", "--jobs", "200", "-o", "made.swf")[0] == 0
    for words in (("trace", "sessions", "made.swf"), ("feedback", "made.swf", "--quiet")):
        status, _, err = run(*words)
        assert status == 2 and err.count("\n") == 1
        assert "`thinktime replay LOG --out DIR`" in err and "DIR/POLICY/schedule.swf" in err
    assert run("replay", "made.swf", "--policy", "easy", "--out", "run")[0] == 0
    for words in (("trace", "sessions"), ("feedback", "--quiet", "--policy", "easy")):
        assert run(*words, "run/easy/schedule.swf")[0] == 0


@pytest.fixture(name="closed")
def write_closed(tmp_path):
    """The log of users who wait for their results."""
    path = tmp_path / "closed.swf"
    write_swf(worlds.eager(), path)
    return path


def test_the_diagnosis_of_a_log(run, closed, tmp_path):
    """The numbers of the log, the null and the placebo, and which mode to trust: the table, and the sentence last."""
    out = run("trace", "sessions", closed, "--quick", "--out", tmp_path / "out").out
    words = ("jump at the end of jobs", "nobody reacts", "3 worlds", "were cancelled without a run")
    assert all(each in out for each in words)
    sentence = "Trust feedback, with reacting beside it: users submit when results arrive (jump 1.00"
    assert out.index("Do users react?") < out.index(sentence)
    found = json.loads((tmp_path / "out" / "closed-sessions.json").read_text())["diagnosis"]
    assert found["log"]["jump"] == 1.0 and found["excess"] == 1.0
    assert found["null"]["jump"] < 0.75 < found["log"]["intervals"]["jump"][0]
    assert {"clock_gain", "wait_gain", "wait_crps_gain", "overlaps", "mean_wait"} <= found["placebo"].keys()
    assert len(found["log"]["around_end"]) == 30
    assert (found["worlds"], found["trust"], found["withdrawn_share"]) == (3, ["feedback", "reacting"], 0.0)
    assert found["over_placebo"] > 0 and found["self_test"] == pytest.approx(1, abs=0.1)


def test_a_log_without_a_size_needs_one(run, log, tmp_path):
    """Without a size in the header there are no worlds, and the note says what to give."""
    path = tmp_path / "nosize.swf"
    path.write_text(log.read_text().replace("; MaxProcs: 8\n", ""))
    found = json.loads(run("trace", "sessions", path, "--json").out)["diagnosis"]
    assert "--processors" in found["notes"][0]
    assert "too few gaps" in json.loads(run("trace", "sessions", log, "--json").out)["diagnosis"]["notes"][0]


def test_withdrawn_jobs_are_counted(run, log, tmp_path):
    """Jobs that were cancelled without a run are a share of all jobs and of the work that was asked for."""
    path, line = tmp_path / "withdrawn.swf", "{number} 99999 50 0 1 -1 -1 2 600 -1 5 1 1 -1 1 -1 -1 -1\n"
    path.write_text(log.read_text() + "".join(line.format(number=number) for number in range(41, 51)))
    found = json.loads(run("trace", "sessions", path, "--json").out)["diagnosis"]
    assert found["withdrawn_share"] == 0.2
    assert found["withdrawn_work"] == pytest.approx(12_000 / (12_000 + 2 * sum(60 * (k + 1) for k in range(20))))
    assert found["trust"] == ["generative"]
