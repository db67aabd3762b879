"""`thinktime site`: a site's file as tables, and what looks wrong in it."""

from pathlib import Path

import pytest

from tests.models.site.made_up import SATURN

from .conftest import Run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A site's file."""
    path = tmp_path / "saturn.toml"
    SATURN.write(path)
    return path


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_show_has_every_part(file: Path, run: Run) -> None:
    """Nodes, partitions, QOS, the tree with shares, and the rules that are no defaults, at most 100 columns wide."""
    outcome = run("site", "show", file)
    assert (outcome.status, outcome.err) == (0, "")
    shown = lines(outcome.out)
    for line in (
        "saturn: 6 nodes, 160 processors, 4 associations of users",
        "n 4 32 128G – – n[1-4]",
        "gpu 2 16 64G 4 a100 gpu[01,07]",
        "batch n[1-4] 1 1 2d 0h 1h 0m – default",
        "partition 0 – max_jobs 2 –",
        "short 100 normal max_tres_per_user cpu=8 flags DenyOnLimit",
        "· root 1 1.0% 0 – –",
        "physics 60 59.4% 1,512 normal, short; default –",
        "· ann 1 33.3% 160 – max_jobs 5; max_wall 90.5s",
        "theory 2 66.7% 0 – –",
        "· ann parent – 0 – –",
        "fairshare 10,000",
        "max_job_user 20",
        "over_time_limit 1min",
        "enforce associations, limits",
    ):
        assert line in shown
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_check_lists_what_looks_wrong(file: Path, tmp_path: Path, run: Run) -> None:
    """Where, and what; a site in order has a line."""
    outcome = run("site", "check", file)
    assert outcome.status == 0
    assert "preemption type is qos, but no QOS preempts another" not in lines(outcome.out)
    assert "QOS short no association may use it" not in lines(outcome.out)
    plain = tmp_path / "plain.toml"
    nodes = 'nodes = [{ name = "n", count = 2, resources = { processors = 4 } }]\n'
    parts = 'partitions = [{ name = "main", default = true, max_time = "1d" }]\n'
    plain.write_text(f"{nodes}{parts}[priority]\nhalf_life = 90\n")
    assert lines(run("site", "check", plain).out) == [
        f"{plain}: 1 warning",
        "priority half_life is 90s; Slurm reads whole minutes, and makes 2min of it",
    ]
    plain.write_text(nodes + parts)
    assert run("site", "check", plain).out == f"{plain}: nothing looks wrong\n"
    plain.write_text(parts)
    _, found = lines(run("site", "check", plain).out)
    assert found == "nodes there are none, so the machine has one processor: say which there are (nodes)"


def test_a_file_that_is_wrong_ends_with_status_2(tmp_path: Path, run: Run) -> None:
    """In one sentence."""
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[backfill]\nmax_job_tests = 3\n")
    for command in ("show", "check"):
        outcome = run("site", command, wrong)
        assert outcome.status == 2
        assert outcome.err == (
            f"thinktime: error: {wrong}: backfill has no key 'max_job_tests'; did you mean 'max_job_test'?\n"
        )


def test_import_writes_the_file_and_lists_what_it_could_not_use(tmp_path: Path, run: Run) -> None:
    """With line and reason; the file is then read by the other commands."""
    conf, out = tmp_path / "slurm.conf", tmp_path / "site.toml"
    conf.write_text(
        "ClusterName=saturn\nNodeName=n[1-2] CPUs=8\nPartitionName=main Nodes=ALL MaxTime=60 Default=YES\n"
        "SelectType=select/cons_tres PriorityType=priority/basic\nJobSubmitPlugins=lua\nSlurmctldPort=6817\n"
    )
    outcome = run("site", "import", "--conf", conf, "-o", out)
    assert (outcome.status, outcome.err) == (0, "")
    assert lines(outcome.out) == [
        "1 thing could not be used:",
        "slurm.conf, line 5 JobSubmitPlugins=lua: what it changes at submission is not seen",
        "",
        "1 setting of no effect on schedules: SlurmctldPort",
        "",
        str(out),
    ]
    assert "JobSubmitPlugins=lua: what it changes at submission is not seen" in run("site", "check", out).out
    assert lines(run("site", "show", out).out)[0] == "saturn: 2 nodes, 16 processors, 0 associations of users"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--conf", "none.conf"), "there is no file none.conf"),
        (("--conf", "slurm.conf", "--qos", "none.psv"), "there is no file none.psv"),
        (("--conf", "wrong.conf"), "wrong.conf, line 2: CPUs: must be a whole number, not 'x'"),
        ((), "missing option '--conf'; see 'thinktime site import --help'"),
    ],
)
def test_wrong_input_leaves_no_file(
    words: tuple[str, ...], message: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and status 2."""
    monkeypatch.chdir(tmp_path)
    Path("slurm.conf").write_text("PartitionName=main Nodes=ALL\nNodeName=n1 CPUs=1\n")
    Path("wrong.conf").write_text("PartitionName=main Nodes=ALL\nNodeName=n1 CPUs=x\n")
    outcome = run("site", "import", *words)
    assert (outcome.status, outcome.err) == (2, f"thinktime: error: {message}\n")
    assert not Path("site.toml").exists()
