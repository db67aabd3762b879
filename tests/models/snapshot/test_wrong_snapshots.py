"""What is wrong with a snapshot is one sentence with file and line, or counted in the report."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.models.snapshot import made_up
from tests.models.snapshot.made_up import NOW, at, job
from thinktime.models.snapshot.reading import read_snapshot

LOCAL = "2027-01-15T09:16:40"
"""Second `NOW` in Berlin."""
BERLIN = made_up.SDIAG.replace("Jan 15 08:16:40", "Jan 15 09:16:40")


def changed(name: str, before: str, after: str) -> dict[str, str]:
    """A file with something else in place of what it has."""
    text = made_up.texts()[name]
    assert before in text
    return {name.replace(".", "_"): text.replace(before, after)}


OPTIONAL = "assoc.psv", "qos.psv", "reservations.txt", "assoc_mgr.txt", "sshare.psv", "sdiag.txt"
WRONG = {
    "begun": ({"begun_txt": None}, "has no begun.txt, so it is no whole snapshot; take another one"),
    "nodes": ({"nodes_txt": None}, "has no nodes.txt, so it is no whole snapshot; take another one"),
    "jobs": (
        {"jobs_txt": None, "squeue_json": None},
        "has neither jobs.txt (scontrol -o show job) nor squeue.json: there are no jobs to read",
    ),
    "cut": (
        {"jobs_txt": "\n".join(made_up.JOBS)[:-400]},
        "jobs.txt, line 8: the file is cut off in the middle of this line; take another snapshot",
    ),
    "json": (
        {"jobs_txt": None, "squeue_json": '{"jobs": [{"job_id": 1'},
        "squeue.json: this is no JSON, or it is cut off; take another snapshot",
    ),
    "table": (
        changed("sshare.psv", "root|1|0.5|0|0.5", "root|1|0.5"),
        "sshare.psv, line 3: 9 cells, but 11 columns in the heading",
    ),
    "moment": (
        changed("config.txt", f"as of {at(NOW)}", f"as of {at(NOW + 3_600)}"),
        "config.txt, line 1: this was printed 60 min after the snapshot began (begun.txt): the files are of different "
        "moments",
    ),
    "running": (
        {"jobs_txt": made_up.JOBS[1].replace("RunTime=00:05:00", "RunTime=00:50:00") + "\n"},
        "jobs.txt, line 1: this was printed 45 min after the snapshot began (begun.txt): the files are of different "
        "moments",
    ),
    "cluster": (
        changed("assoc_mgr.txt", "ClusterName=mars", "ClusterName=venus"),
        "assoc_mgr.txt is of the cluster venus, and config.txt of mars: the files are of different clusters",
    ),
    "columns": (
        changed("sshare.psv", "RawUsage|", "Raw|"),
        "sshare.psv, line 1: there is no column 'rawusage' in this heading; did you mean 'rawshares'?",
    ),
    "priorities": (
        changed("sprio.txt", "PRIORITY", "WEIGHT"),
        "sprio.txt, line 1: there is no column PRIORITY in this heading; make it with 'sprio -l'",
    ),
    "another command": (
        {"jobs_txt": "NodeName=m1 State=IDLE\n"},
        "jobs.txt, line 1: this is no output of 'scontrol -o show job', but 'NodeName=m1 State=IDLE'",
    ),
    "submit": (
        {"jobs_txt": job(3, "next", "bob", SubmitTime="yesterday") + "\n"},
        "jobs.txt, line 1: submittime must be a time, such as 1795525134 or 2026-11-24T12:58:54, not 'yesterday'",
    ),
    "ended": (
        {"ended_txt": f"{at(NOW - 1)}\n"},
        "ended.txt, line 1: the snapshot ended before it began (begun.txt); take another one",
    ),
    "stamp": ({"begun_txt": "noon\n"}, "begun.txt, line 1: this must be a Unix time, not 'noon'"),
    "zones": (
        changed("config.txt", f"as of {at(NOW)}", f"as of {LOCAL}"),
        "sdiag.txt, line 2: local times are +0 h from UTC, and +1 h in config.txt, line 1: the clocks are in two zones",
    ),
    "times": (
        {"times_csv": f"file,begun,ended\nnodes.txt,{at(NOW - 1_200)},{at(NOW - 1_199)}\n"},
        "times.csv, line 2: this was printed 20 min before the snapshot began (begun.txt): the files are of different "
        "moments",
    ),
    "no times": (
        {"times_csv": "file,begun,ended\nnodes.txt,noon\n"},
        "times.csv, line 2: this must be a file and two Unix times, not 'nodes.txt,noon'",
    ),
    "no zone": (
        {"sdiag_txt": None, "jobs_txt": job(3, "next", "bob", SubmitTime=LOCAL) + "\n"},
        f"jobs.txt, line 1: submittime is a local time ({LOCAL}), and no file says of which zone; take the snapshot "
        "with SLURM_TIME_FORMAT=%s",
    ),
    "ahead": (
        {"jobs_txt": job(3, "next", "bob", SubmitTime=at(NOW + 3_600)) + "\n"},
        "jobs.txt, line 1: this job was submitted or started 3,600 s after the jobs were told: the clocks are in two "
        "zones, or the files of different moments",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_one_sentence_with_file_and_line(what: str, tmp_path: Path) -> None:
    """Each is refused, and nothing else is said."""
    files, sentence = WRONG[what]
    with pytest.raises((ValueError, OSError)) as caught:
        read_snapshot(made_up.write(tmp_path, **files))
    said = str(caught.value).removeprefix(f"{tmp_path}/").removeprefix(f"{tmp_path} ")
    assert said == sentence


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """The command that makes one is named."""
    with pytest.raises(ValueError, match="make one with 'thinktime site snapshot --out DIR'"):
        read_snapshot(tmp_path / "none")


def test_local_times_are_those_of_one_zone(tmp_path: Path) -> None:
    """Where times are local, files say how late they are against Unix time."""
    waiting = job(3, "next", "bob", SubmitTime="2027-01-15T09:08:20", EligibleTime="2027-01-15T09:08:20")
    config = made_up.CONFIG.replace(f"as of {at(NOW)}", f"as of {LOCAL}")
    files = {"jobs_txt": f"{waiting}\n", "sdiag_txt": BERLIN, "config_txt": config, "squeue_psv": None}
    (found,) = read_snapshot(made_up.write(tmp_path, **files)).jobs
    assert found.submit == made_up.ZERO + 500


def test_local_times_have_the_daylight_saving_of_their_day(tmp_path: Path) -> None:
    """In January, a job is to begin in July, which is 2 h from UTC in Berlin; where no zone is named, 1 h as now."""
    waiting = job(3, "next", "bob", EligibleTime="2027-07-15T09:00:00", Reason="BeginTime")
    config = made_up.CONFIG.replace(f"as of {at(NOW)}", f"as of {LOCAL}")
    for zone, hour in (("Europe/Berlin", 7), ("+01:00", 8)):
        files = {"jobs_txt": f"{waiting}\n", "sdiag_txt": BERLIN, "squeue_psv": None, "zone_txt": f"{zone}\n"}
        (found,) = read_snapshot(made_up.write(tmp_path / str(hour), config_txt=config, **files)).jobs
        assert found.eligible == datetime(2027, 7, 15, hour, tzinfo=UTC).timestamp()


def test_what_can_be_mended_is_counted(tmp_path: Path) -> None:
    """A limit of 0, a job that should have ended long ago, strangers, and dependencies on jobs that are gone."""
    jobs = (
        job(2, "old", "ann", JobState="RUNNING", RunTime="02:00:00", StartTime=at(NOW - 7_200), SubmitTime=at(-9_000),
            EligibleTime=at(-9_000), NodeList="m1", NumCPUs=4, NumTasks=4, TRES="cpu=4,node=1,billing=4"),
        job(3, "zero", "bob", TimeLimit="00:00:00"),
        job(4, "gone", "ann", Dependency="afterok:1(unfulfilled)"),
        job(5, "lost", "bob", Dependency="afterok:3(failed)"),
    )  # fmt: skip
    stranger = job(6, "who", "bob").replace("UserId=bob(1002)", "UserId=eve(1009)")
    elsewhere = job(7, "where", "bob", Partition="night")
    text = "\n".join([*jobs, stranger, elsewhere]) + "\n"
    snapshot = read_snapshot(made_up.write(tmp_path, jobs_txt=text, squeue_psv=None, sprio_txt=None))
    assert snapshot.report.of("repaired") == {
        "a time limit of 0: taken as none": 1,
        "running jobs past their limits: they end within 30 s": 1,
    }
    unknown = snapshot.report.of("unknown")
    assert unknown["jobs of users whom the accounting does not have"] == 1
    assert unknown["dependencies on jobs that are no more: taken as met"] == 1
    assert unknown["jobs in partitions that the site does not have: left out"] == 1
    assert "squeue.psv is missing, so it is unknown which jobs started while the commands ran" in unknown
    assert "the priorities that Slurm has computed, since sprio.txt is missing" in unknown
    assert "jobs.txt, line 6" in str(snapshot.report)


@pytest.mark.parametrize(
    "name", ["assoc.psv", "qos.psv", "reservations.txt", "assoc_mgr.txt", "sshare.psv", "sdiag.txt"]
)
def test_each_other_file_may_be_missing(name: str, tmp_path: Path) -> None:
    """There is a state without it, and the report says what is not known."""
    given = {name.replace(".", "_"): None} | ({"sprio_txt": None} if name == "assoc.psv" else {})
    snapshot = read_snapshot(made_up.write(tmp_path, **given))
    assert len(snapshot.jobs) == 9
    assert name == "sdiag.txt" or name in str(snapshot.report)
