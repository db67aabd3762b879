"""From what sacct prints of GPUs to the starts of jobs on the nodes of the site, and its limits on them."""

import csv
from collections.abc import Callable
from pathlib import Path

from .conftest import Outcome

Run = Callable[..., Outcome]

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
