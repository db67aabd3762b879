"""What is written for a Slurm, what it is told, and where none is started."""

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from thinktime.models.site.slurm.importing import SlurmFiles, import_site
from tools.slurm import container
from tools.slurm.cluster import Cluster, Stopped, sbatch
from tools.slurm.command import main
from tools.slurm.comparison import compare
from tools.slurm.conf import BASIC, Layout, slurm_conf, slurmdbd_conf
from tools.slurm.experiments import NAMES, Experiment, experiment
from tools.slurm.recording import Attempt, Recording, Said, keep
from tools.slurm.report import BEGIN, END, into_page, of_page
from tools.slurm.running import run
from tools.slurm.workload import Row, drawn, parse, read, write

MEASURED = Path(__file__).parents[2] / "models" / "machine" / "limits" / "measured"


def layout(folder: Path, experiment: Experiment) -> Layout:
    """Where an experiment would run."""
    return Layout(
        experiment.name, folder, 17_000, folder / "munge", 13_306,
        cpus=experiment.cpus, settings=experiment.settings, partitions=experiment.partitions,
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_its_configuration_is_that_of_a_site(tmp_path: Path, name: str) -> None:
    """Slurm.conf is imported without a remark, with the experiment's nodes and partitions."""
    chosen = experiment(name)
    (tmp_path / "slurm.conf").write_text(slurm_conf(layout(tmp_path, chosen)))
    found = import_site(SlurmFiles([tmp_path / "slurm.conf"]))
    assert [what for _, what in found.notes if "nothing says what it is" not in what] == []
    sizes = [
        int(cluster.resources["processors"]) for cluster in found.site.nodes.clusters for _ in range(cluster.count)
    ]
    assert sizes == list(chosen.cpus) and found.site.backfill.interval == 1
    assert found.site.nodes.names == tuple(f"n{k + 1}" for k in range(len(sizes)))
    assert len(found.site.partitions) == len(chosen.partitions)


def test_it_touches_nothing_but_its_own_folder(tmp_path: Path) -> None:
    """Every path is in the folder, every address that of this machine, and munge's key is its own."""
    here = layout(tmp_path, experiment("tiers"))
    for text in (slurm_conf(here), slurmdbd_conf(here, "secret")):
        values = [word.partition("=")[2] for word in text.split()]
        assert all(value.startswith(str(tmp_path)) for value in values if value.startswith("/"))
        pairs = dict(line.split("=", 1) for line in text.splitlines())
        assert {pairs[key] for key in pairs if key.endswith(("Host", "Addr"))} <= {
            "localhost(127.0.0.1)",
            "localhost",
            "127.0.0.1",
        }
        assert pairs["AuthInfo"].startswith(f"socket={tmp_path}")
    assert "AuthInfo=socket=/m,cred_expire=8" in slurm_conf(
        replace(here, munge=Path("/m"), settings={"AuthInfo": "cred_expire=8"})
    )


def test_a_workload_is_read_as_it_is_written(tmp_path: Path) -> None:
    """Jobs, options of sbatch and commands."""
    rows = parse("""
        A 0 nodes=3 limit=2 sleep=30
        B 5 user=tt2 cpus=4 sleep=10 dependency=afterok:@A -- --nice=50 --hold
        ! 30 scontrol release @B
    """)
    write(tmp_path / "in.csv", rows)
    assert read(tmp_path / "in.csv") == rows
    assert (rows[1].options, rows[1].depends, rows[2].is_command) == ({"nice": "50", "hold": ""}, "afterok:@A", True)
    assert sbatch(rows[0], {})[-3:] == ["--time=2", "--exclusive", "--wrap=exec sleep 30"]
    said = sbatch(rows[1], {"A": "17"})
    assert {"--uid=tt2", "--ntasks=4", "--time=1", "--dependency=afterok:17", "--nice=50", "--hold"} <= {*said}


def test_earlier_recordings_are_read() -> None:
    """Recordings of limits that other tests have: who waits for ever has no start."""
    rows = read(MEASURED / "t06_limits" / "in.csv")
    assert (len(rows), rows[0]) == (26, Row("a1", 0, qos="j1", nodes="1", sleep="10", extra="--exclusive"))
    attempts = Recording(MEASURED / "t06_limits").attempts
    assert attempts["a2"] == [Attempt("a2", "COMPLETED", 1, 13, 18, ("n1", "n2", "n3", "n4"))]
    assert attempts["c1"] == [Attempt("c1", "PENDING", 5)]


def test_values_are_kept_when_they_change() -> None:
    """A value that is said again is not kept again."""
    said: Said = {}
    for second, value in enumerate(("5", "5", "", "5")):
        keep(said, "a", second, value)
    assert said == {"a": {0: "5", 2: "", 3: "5"}}


def refused(
    monkeypatch: pytest.MonkeyPatch, user: int, inside: bool, programs: bool, anywhere: bool = False
) -> str | None:
    """Why no Slurm is started by this user on such a machine."""
    monkeypatch.setattr(container.os, "geteuid", lambda: user)
    monkeypatch.setattr(container, "in_a_container", lambda: inside)
    monkeypatch.setattr(container.shutil, "which", lambda name: name if programs else None)
    return container.refusal(anywhere)


def test_where_no_slurm_is_started(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Only as root, in a container unless told otherwise, and with the packages; one sentence says what is missing."""
    assert refused(monkeypatch, 0, True, True) is None
    assert refused(monkeypatch, 0, False, True, anywhere=True) is None
    assert "by root only" in (refused(monkeypatch, 1000, True, True) or "")
    assert "give --outside-a-container" in (refused(monkeypatch, 0, False, True) or "")
    assert "apt-get install mariadb-server munge slurm-wlm slurmdbd" in (refused(monkeypatch, 0, True, False) or "")
    refused(monkeypatch, 1000, True, True)
    assert main(["fifo"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fifi"], "there is no experiment 'fifi'; did you mean 'fifo'?"),
        (["--recorded", "--out", "nowhere"], "there is no recorded experiment in nowhere"),
        (["--recorded", "--page", "page.md"], "page.md has no lines <!-- make slurm: begin -->"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name, a folder or a page that is not there."""
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text("nothing\n")
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and said in err


def test_a_page_keeps_all_but_the_table(tmp_path: Path) -> None:
    """Only what is between the marks is written anew."""
    page = tmp_path / "page.md"
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    into_page(page, "new\n")
    assert page.read_text() == f"above\n{BEGIN}\nnew\n{END}\nbelow\n" and of_page(page) == "new\n"


def test_an_experiment_can_be_interrupted(tmp_path: Path) -> None:
    """It ends before its next submission."""
    stop = threading.Event()
    stop.set()
    cluster = Cluster(layout(tmp_path, SHORT), "secret", stop)
    with pytest.raises(Stopped):
        cluster.play(SHORT.rows, 40, lambda second, each: None)
    assert cluster.numbers == {}


def test_an_experiment_of_ones_own_is_a_file(tmp_path: Path) -> None:
    """It says what jobs there are, or how they are drawn, and Slurm's settings; what it says wrong is one sentence."""
    path = tmp_path / "own.toml"
    path.write_text(
        'about = "one of mine"\norder = "submission"\noptions = "bf_window=4"\nqos = ["add qos a"]\ncpus = [8, 4]\n'
        'jobs = """\nA 0 nodes=1 sleep=3\n"""\n[settings]\nSelectTypeParameters = "CR_CPU"\n'
    )
    own = experiment(str(path))
    assert (own.name, own.rows, own.cpus, own.accounts[-1]) == (
        "own", [Row("A", 0, nodes="1", sleep="3")], [8, 4], "add qos a",
    )  # fmt: skip
    assert own.settings["SchedulerParameters"].endswith(",bf_continue,bf_window=4")
    assert own.settings["PriorityType"] == "priority/basic" and own.settings["SelectTypeParameters"] == "CR_CPU"
    text = slurm_conf(layout(tmp_path, own))
    assert "NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17003 CPUs=4 State=UNKNOWN" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('jobs = "A 0 nodes=1"\n[random]\nseed = 1', "an experiment has either jobs or random"),
        ("seed = 1", "there is no key 'seed'"),
        ("[random]\nseed = 1\njobs = 4\nspan = 9\nask = 'gpus'", "ask must be 'nodes' or 'cpus', not 'gpus'"),
        ("[random]\nseeds = 1", "unexpected keyword argument 'seeds'"),
        ("jobs = 'A 0'\norder = 'age'", "order must be 'submission', or left out, not 'age'"),
    ],
)
def test_what_is_wrong_in_the_file(tmp_path: Path, text: str, said: str) -> None:
    """The file is named."""
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)) as raised:
        experiment(str(path))
    assert str(raised.value).startswith(f"{path}: ") and "\n" not in str(raised.value)


def test_random_jobs_are_those_of_their_seed() -> None:
    """The same for the same seed, others for another, by time, within the span and the accounts."""
    rows = drawn(5, 50, 100, accounts=2)
    assert rows == drawn(5, 50, 100, accounts=2) != drawn(6, 50, 100, accounts=2)
    assert [row.name for row in rows] == [f"r{k}" for k in range(50)]
    assert [row.t for row in rows] == sorted(row.t for row in rows) and max(row.t for row in rows) < 100
    assert {row.account for row in rows} == {"g1", "g2"} and {row.cpus for row in rows} == {""}
    assert {row.nodes for row in drawn(5, 50, 100, "cpus")} == {""}


SHORT = Experiment("short", "", parse("A 0 nodes=4 sleep=4\nB 1 nodes=2 sleep=2\nC 2 cpus=1 sleep=2"), BASIC, last=40)


@pytest.mark.slurm
@pytest.mark.thorough
def test_a_real_slurm(tmp_path: Path) -> None:
    """A short experiment on a real Slurm: the same jobs start, in the same order, and it leaves no user behind."""
    if why := container.refusal():
        pytest.skip(why)
    run([SHORT], tmp_path)
    found = compare(Recording(tmp_path / "short"))
    assert (found.starts, found.differ, found.nodes.same) == (3, (), 3)
    assert not [path for path in tmp_path.iterdir() if path.name != "short"] and shutil.which("slurmctld")
