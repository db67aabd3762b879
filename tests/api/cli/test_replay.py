"""`thinktime replay` in numbers: the JSON object, exact, and the table."""

import json
from pathlib import Path

import pytest

from .conftest import HEADER, Fails, Run, line

PER_POLICY = [
    "policy", "mean_wait", "median_wait", "p95_wait", "p99_wait", "max_wait", "mean_response_time",
    "mean_bounded_slowdown_10", "mean_bounded_slowdown_60", "utilization", "loss_of_capacity", "makespan", "finished",
    "killed", "served", "abandoned_jobs", "abandoned_share", "lost_processor_hours", "simulation_seconds",
    "jobs_per_second",
]  # fmt: skip


def test_json_by_hand(log: Path, run: Run) -> None:
    """The JSON object of EASY on the tiny log is the one worked out by hand."""
    outcome = run("replay", log, "--policy", "easy", "--json")
    assert outcome.status == 0
    answer = json.loads(outcome.out)
    (easy,) = answer.pop("policies")
    assert answer == {"trace": str(log), "processors": 4, "jobs": 4, "dropped": {"run time missing or negative": 1}}
    assert list(easy) == PER_POLICY
    assert easy.pop("simulation_seconds") > 0 and easy.pop("jobs_per_second") > 0
    waits = (0, 90, 0, 0)
    runs = (100, 50, 30, 80)
    work = 3 * 100 + 4 * 50 + 1 * 30 + 2 * 80
    expected = {
        "policy": "easy", "mean_wait": 22.5, "median_wait": 0, "p95_wait": 90 * 0.85, "p99_wait": 90 * 0.97,
        "max_wait": 90, "mean_response_time": sum(waits + runs) / 4,
        "mean_bounded_slowdown_10": (1 + 140 / 50 + 1 + 1) / 4, "mean_bounded_slowdown_60": (1 + 140 / 60 + 1 + 1) / 4,
        "utilization": work / (4 * 380), "loss_of_capacity": (1 * 10 + 1 * 50) / (4 * 380), "makespan": 380,
        "killed": 1, "finished": 3, "served": 4, "abandoned_jobs": 0, "abandoned_share": 0, "lost_processor_hours": 0,
    }  # fmt: skip
    assert easy == {name: pytest.approx(value) for name, value in expected.items()}


def test_default_policies(log: Path, run: Run) -> None:
    """Without --policy, the three classics stand side by side."""
    answer = json.loads(run("replay", log, "--json").out)
    assert [each["policy"] for each in answer["policies"]] == ["fcfs", "easy", "conservative"]


def test_policy_as_given(log: Path, run: Run) -> None:
    """`policy` is the text as given, in the order given, repeated if asked twice."""
    specs = ["easy:order=lxf,reservations=2", "fcfs", "fcfs"]
    answer = json.loads(run("replay", log, "--json", *(f"--policy={spec}" for spec in specs)).out)
    assert [each["policy"] for each in answer["policies"]] == specs


def test_missing_values_are_null(log: Path, run: Run) -> None:
    """A value that is not defined is null."""
    log.write_text(HEADER + line(1, 0, 0, 1, 10) + "\n")
    outcome = run("replay", log, "--policy", "easy", "--json")
    (easy,) = json.loads(outcome.out, parse_constant=pytest.fail)["policies"]
    assert (easy["utilization"], easy["loss_of_capacity"], easy["makespan"]) == (None, None, 0)


def test_processors_and_dropped(log: Path, run: Run) -> None:
    """On a smaller machine the wider jobs are dropped, with their reason."""
    answer = json.loads(run("replay", log, "--processors", 3, "--json").out)
    assert (answer["processors"], answer["jobs"]) == (3, 3)
    assert answer["dropped"] == {"run time missing or negative": 1, "wider than the machine": 1}


@pytest.mark.parametrize(
    ("since", "until", "jobs"),
    [("10", "300", 2), ("10", None, 3), (None, "10", 1), ("2001-09-09T03:46:50", "2001-09-09T03:51:40", 2)],
)
def test_slice(log: Path, run: Run, since: str | None, until: str | None, jobs: int) -> None:
    """--from is inclusive and --to is not, and dates are in the log's zone."""
    words = [word for pair in (("--from", since), ("--to", until)) if pair[1] for word in pair]
    assert json.loads(run("replay", log, "--json", *words).out)["jobs"] == jobs


def test_overrun(log: Path, run: Run) -> None:
    """Under `extend` no job is killed."""
    answer = json.loads(run("replay", log, "--overrun", "extend", "--policy", "easy", "--json").out)
    assert (answer["policies"][0]["killed"], answer["policies"][0]["finished"]) == (0, 4)


def test_table(log: Path, run: Run) -> None:
    """The table has a row per policy, and says below what the numbers hold for."""
    outcome = run("replay", log)
    easy = next(line.split() for line in outcome.out.splitlines() if line.startswith("easy"))
    assert easy[1:] == ["22s", "0s", "1m", "16s", "1m", "30s", "1.4", "45.4%", "3.9%", "1"]
    assert "4 processors; 4 jobs, 1 dropped (run time missing or negative); overrun: kill" in outcome.out
    assert "easy is easy:order=fcfs,reservations=1." in outcome.out
    assert "conservative is conservative:order=fcfs,compress=completion." in outcome.out


def test_table_in_100_columns(log: Path, run: Run) -> None:
    """No line is longer than 100 columns, even with a long policy."""
    out = run("replay", log, "--policy", "easy:order=lxf,reservations=2", "--policy", "conservative-dynamic").out
    assert max(map(len, out.splitlines())) <= 100
    assert "conservative-dynamic" in out


def test_lines_on_standard_error(log: Path, run: Run) -> None:
    """Without a terminal, each policy leaves one line on standard error, and none with --quiet."""
    assert [line.split(":")[0] for line in run("replay", log).err.splitlines()] == ["fcfs", "easy", "conservative"]
    assert run("replay", log, "--quiet").err == ""


def test_dependencies(tmp_path: Path, run: Run) -> None:
    """With --dependencies a job waits for that of field 17 and thinks as long as field 18 says."""
    jobs = ((1, 0, -1, -1), (2, 100, 1, 7))
    lines = [f"{i} {at} -1 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 {before} {think}\n" for i, at, before, think in jobs]
    log, out = tmp_path / "log.swf", tmp_path / "out"
    log.write_text("; MaxProcs: 4\n" + "".join(lines))
    assert run("replay", log, "--policy", "fcfs", "--dependencies", "--out", out).status == 0
    rows = (out / "fcfs" / "jobs.csv").read_text().splitlines()[1:]
    assert [row.split(",")[3] for row in rows] == ["0.0", "17.0"]


def test_footer_of_a_part(log: Path, run: Run) -> None:
    """Dropped jobs are counted over the whole log, in the singular if there is one."""
    out = run("replay", log, "--to", 10, "--policy", "fcfs", "--processors", 3).out
    assert "3 processors; 1 job, 2 dropped of the whole log (1 " in " ".join(out.split())
    assert "never started" not in out


def test_jobs_that_never_start(log: Path, run: Run, tmp_path: Path) -> None:
    """Jobs that a policy leaves in the queue are reported, and pictures are drawn all the same."""
    script = tmp_path / "idle.py"
    script.write_text("def idle(view, now):\n    return []\n")
    spec = f"{script}:idle"
    outcome = run("replay", log, "--policy", spec, "--policy", "fcfs", "--out", tmp_path / "out")
    assert outcome.status == 0
    assert f"4 jobs never started under {spec}." in outcome.out.replace("\n", "").replace("under/", "under /")
    assert "never started under fcfs" not in outcome.out


def test_too_many_processors(log: Path, fails: Fails) -> None:
    """A machine beyond the upper bound is refused."""
    sentence = fails("replay", log, "--processors", 2**31 + 1)
    assert sentence == "--processors must be at most 2,147,483,648, not '2147483649'"


def test_largest_machine(log: Path, run: Run) -> None:
    """A machine may be as large as the upper bound."""
    assert run("replay", log, "--processors", 2**31, "--policy", "fcfs").status == 0
