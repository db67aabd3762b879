"""`--site`: commands that open a machine open that of a configured site, GPUs included."""

import csv
import json
from pathlib import Path

import thinktime as tt
from tests.models.site import pluto
from thinktime.workloads.sacct.name_file import with_names

from .conftest import Fails, Run


def test_replay_on_a_site(site_log: Path, tmp_path: Path, run: Run) -> None:
    """Its own machine without a policy; jobs are in their partitions, and go by their QOS."""
    outcome = run("replay", site_log, "--site", tmp_path / "pluto.toml", "--quiet")
    assert outcome.status == 0, outcome.err
    words = " ".join(outcome.out.split())
    assert "site is slurm:order=multifactor,bf_interval=1s." in words and "site: pluto; " in words
    assert "12 processors; 5 jobs" in words
    assert (
        "jobs without an association at the site, and so without a fair share: 1 of 5, such as those of user 3" in words
    )
    site, trace = tt.Site.read(tmp_path / "pluto.toml"), tt.workloads.read_swf(site_log)
    named = tt.replay(with_names(trace, site_log), tt.MachineSpec.of_site(site))
    assert named["start"].tolist() == [0, 150, 100, 30, 200]
    assert named.labels("group").tolist() == ["a", "a", "b", "b", "a"]


def test_a_policy_on_the_nodes_of_a_site(site_log: Path, tmp_path: Path, run: Run) -> None:
    """Another policy runs on its nodes, in the order that it says, among the site's accounts."""
    words = ("--policy", "fcfs", "--policy", "easy:order=multifactor", "--policy", "site", "--json", "--quiet")
    found = json.loads(run("replay", site_log, "--site", tmp_path / "pluto.toml", *words).out)
    assert (found["site"], found["processors"]) == ("pluto", 12)
    waits = {each["policy"]: each["mean_wait"] for each in found["policies"]}
    by_priority = (140 + 80) / 5
    assert waits == {"fcfs": (90 + 130 + 120) / 5, "easy:order=multifactor": by_priority, "site": by_priority}


def test_numbers_without_names(site_log: Path, tmp_path: Path, run: Run) -> None:
    """They are looked up as they are, and everybody is told; --names gives another file."""
    other = site_log.with_name("other.swf")
    other.write_text(site_log.read_text())
    words = ("replay", other, "--site", tmp_path / "pluto.toml", "--quiet")
    said = " ".join(run(*words).out.split())
    assert "numbers of users and accounts are looked up as they are: there is no" in said
    assert "without a fair share: 5 of 5" in said and "nor a partition: 5 of 5" in said
    said = " ".join(run(*words, "--names", site_log.with_name("tiny.names.csv")).out.split())
    assert "looked up" not in said and "without a fair share: 1 of 5" in said


def test_sweeps_without_names(site_log: Path, tmp_path: Path, run: Run) -> None:
    """Whoever runs a scenario or compares configurations is told as well."""
    other = site_log.with_name("other.swf")
    other.write_text(site_log.read_text())
    scenario = tmp_path / "s.toml"
    note = "numbers of users and accounts are looked up as they are: there is no"
    for log, told in ((other, 1), (site_log, 0)):
        tables = f'[machine]\nsite = "pluto.toml"\n[trace]\nfile = "{log.name}"\n'
        scenario.write_text(f'name = "s"\npolicies = ["site"]\n{tables}')
        words = ("run", scenario, "--workers", 1, "--quiet", "--out", tmp_path / f"out of {log.stem}")
        assert " ".join(run(*words).out.split()).count(note) == told
        assert len(json.loads(run(*words, "--json").out).get("notes", [])) == told
    change = ("--change", "qos.high.priority=0", "--mode", "open", "--workers", 1, "--quiet")
    assert note in " ".join(run("site", "whatif", tmp_path / "pluto.toml", other, *change).out.split())


def test_feedback_and_expectations_on_a_site(site_log: Path, tmp_path: Path, run: Run) -> None:
    """Users wait on the site's machine, whoever they are, drawn ones too; expectations are on its nodes."""
    site = ("--site", tmp_path / "pluto.toml", "--quiet")
    modes = [word for mode in ("open", "feedback", "generative") for word in ("--mode", mode)]
    outcome = run("feedback", site_log, *site, *modes, "--policy", "easy:order=multifactor")
    assert outcome.status == 0, outcome.err
    words = " ".join(outcome.out.split())
    assert "site: pluto" in words and "without a fair share: 1 of 5, such as those of user 3" in words
    found = json.loads(run("feedback", site_log, *site, *modes, "--policy", "easy:order=multifactor", "--json").out)
    assert found["modes"]["open"]["easy:order=multifactor"]["mean_wait"] == (140 + 80) / 5
    outcome = run("expectations", site_log, *site, "--recorded", "--policy", "easy:order=multifactor", "--json")
    assert outcome.status == 0, outcome.err


def test_what_does_not_go_with_a_site(site_log: Path, tmp_path: Path, fails: Fails) -> None:
    """One sentence says what to leave out, or what is wrong with the file."""
    site = tmp_path / "pluto.toml"
    words = ("replay", site_log, "--site", site)
    assert "the nodes are those of --site" in fails(*words, "--machines", "x.machines")
    assert "--processors 5: the nodes of site pluto have 12" in fails(*words, "--processors", 5)
    assert "give --site as well" in fails("replay", site_log, "--names", site_log.with_name("tiny.names.csv"))
    assert "give --site as well" in fails("replay", site_log, "--policy", "site")
    assert "there is no file" in fails("replay", site_log, "--site", tmp_path / "mars.toml")
    site.write_text(pluto.SITE.replace("names", "nams"))
    assert "pluto.toml: cluster n has no key 'nams'; did you mean 'names'" in fails(*words)


CONF = """ClusterName=g
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=limits
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
PriorityType=priority/basic
NodeName=g[1-2] CPUs=16 RealMemory=128000 Gres=gpu:a100:2
NodeName=c[1-2] CPUs=16 RealMemory=64000
PartitionName=gpu Nodes=g[1-2] MaxTime=1-0
PartitionName=cpu Nodes=c[1-2] Default=YES MaxTime=1-0
"""
QOS = "Name|Priority|MaxTRES|MaxTRESPU\nnormal|0||gres/gpu=4\none|0|gres/gpu=1|\ntyped|0||gres/gpu:a100=1\n"
COLUMNS = "JobID|User|QOS|Partition|State|Submit|Start|End|Timelimit|ReqCPUS|AllocCPUS|NNodes|ReqTRES|AllocTRES"
JOBS = (  # submitted, user, QOS, partition, run time (s), nodes, ReqTRES, AllocTRES; a limit of two hours
    (0, "ann", "normal", "gpu", 3600, 2, "cpu=8,node=2,gres/gpu=4,gres/gpu:a100=4", ""),
    (60, "bob", "normal", "gpu", 1800, 1, "cpu=2,node=1,gres/gpu=2", ""),
    (120, "bob", "normal", "cpu", 600, 1, "cpu=2,node=1", ""),
    (180, "cem", "one", "gpu", 600, 1, "", "cpu=2,node=1,gres/gpu=2"),
    (200, "dan", "typed", "gpu", 600, 1, "cpu=2,node=1,gres/gpu=1,gres/gpu:a100=1", ""),
    (201, "dan", "typed", "gpu", 600, 1, "cpu=2,node=1,gres/gpu=1,gres/gpu:a100=1", ""),
)
STARTS = ["0.0", "3600.0", "120.0", "", "3600.0", "4200.0"]
"""Ann has all GPUs for an hour; Cem asks for more than his QOS allows; Dan may have one at a time."""


def dump() -> str:
    """What sacct prints of the jobs."""
    lines = [COLUMNS]
    for number, (submit, user, qos, partition, runtime, nodes, asked, given) in enumerate(JOBS, 1):
        times = f"{1000 + submit}|{1000 + submit}|{1000 + submit + runtime}"
        lines.append(f"{number}|{user}|{qos}|{partition}|COMPLETED|{times}|02:00:00|2|2|{nodes}|{asked}|{given}")
    return "\n".join(lines) + "\n"


def test_gpus_of_a_dump_reach_the_nodes_and_the_limits(tmp_path: Path, run: Run) -> None:
    """Jobs wait for GPUs that others have, and for limits on them, with and without a type."""
    for name, text in (("slurm.conf", CONF), ("qos.psv", QOS), ("may.txt", dump())):
        (tmp_path / name).write_text(text)
    site, log, out = tmp_path / "site.toml", tmp_path / "may.swf", tmp_path / "out"
    files = ("--conf", tmp_path / "slurm.conf", "--qos", tmp_path / "qos.psv")
    assert run("site", "import", *files, "-o", site).status == 0
    said = run("trace", "convert", tmp_path / "may.txt", "--out", log).out
    assert "5  requests resources of nodes: kept after field 18" in said
    outcome = run("replay", log, "--site", site, "--out", out, "--quiet")
    assert "1 job waits for ever: max_tres (gres/gpu) of QOS one" in outcome.out
    with (out / "site" / "jobs.csv").open() as file:
        assert [row["starting_time"] for row in csv.DictReader(file)] == STARTS
    assert run("trace", "convert", tmp_path / "may.txt", "--no-requests", "--out", log).status == 0
    outcome = run("replay", log, "--site", site, "--quiet")
    assert "no job of the log asks for gpus, which the nodes have" in " ".join(outcome.out.split())
