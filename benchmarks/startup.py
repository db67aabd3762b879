"""Start-up times: the help page, the imports, and the first run of nine commands from a fresh install.

    python benchmarks/startup.py [--repeat N] [--log LOG] [--jobs N] [--tree FOLDER] [--commit REVISION] [--only WORD]

The tree is this one, or another one in which ``make install`` has been run, or each of the commits is cloned into a
temporary folder and installed there. Before the first run of each command every ``__pycache__`` of the tree is removed
(not those of ``.venv``), so nothing remains of earlier runs; the second run follows at once. Processor times are those
of the process and its children. Commands get the log (default: a generated one), Slurm's site a small one of its own.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from targets import line

ROOT = Path(__file__).resolve().parent.parent
KEPT = "PATH", "HOME", "LANG", "TMPDIR"
"""Environment variables that commands get: none that changes how they run."""

LIMIT = 3.0
"""The most processor time of a first run, s."""

SLURM = """\
ClusterName=startup
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightPartition=1000
PriorityMaxAge=3-0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[001-016] CPUs=8 RealMemory=64000
PartitionName=batch Nodes=n[001-016] Default=YES MaxTime=7-0
PartitionName=urgent Nodes=n[001-016] PriorityTier=10 MaxTime=1-0
"""
MACHINES = "0\tn\t16\t8\t1\t64000000\n"
"""Sixteen nodes of eight processors, in Alea's format."""


class Tree:
    """An installed tree, in whose environment commands are run, in a folder of their own."""

    def __init__(self, folder: Path, place: Path) -> None:
        self.folder, self.place = folder.resolve(), place
        self.programs = self.folder / ".venv" / "bin"
        if not (self.programs / "thinktime").exists():
            raise SystemExit(f"{folder} has no .venv/bin/thinktime: run make install there first")

    def run(self, *words: str) -> tuple[float, float]:
        """Run a program of the tree; returns its processor time and its time by the clock (s)."""
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        with tempfile.TemporaryFile() as said:
            began = time.perf_counter()
            process = subprocess.Popen(
                [str(self.programs / words[0]), *words[1:]], cwd=self.place, env=environment, stdout=said, stderr=said
            )
            _, status, used = os.wait4(process.pid, 0)
            clock = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                said.seek(0)
                raise SystemExit(f"{' '.join(words)}: status {process.returncode}\n{said.read().decode()}")
        return used.ru_utime + used.ru_stime, clock

    def forget(self) -> None:
        """Remove what earlier runs have left."""
        for folder in [found for found in self.folder.rglob("__pycache__") if ".venv" not in found.parts]:
            shutil.rmtree(folder)

    def prepare(self, log: Path | None, jobs: int) -> dict[str, tuple[str, ...]]:
        """Write what the commands need; returns them by what they do."""
        if log is None:
            made = "lublin", "--jobs", str(jobs), "--processors", "128", "--load", "0.8", "--requested", "tsafrir"
            self.run("thinktime", "generate", *made, "-o", "made.swf")
            self.run("thinktime", "replay", "made.swf", "--policy", "easy", "--out", "out", "--quiet")
            log = self.place / "out" / "easy" / "schedule.swf"  # with waits, which feedback needs
        (self.place / "model.py").write_text(_first_model(self.folder / "README.md"))
        (self.place / "slurm.conf").write_text(SLURM)
        (self.place / "nodes.machines").write_text(MACHINES)
        self.run("thinktime", "site", "import", "--conf", "slurm.conf", "-o", "site.toml")
        self.run("thinktime", "new", "scenario.toml", "--kind", "workload")
        replay = "thinktime", "replay", str(log), "--quiet"
        few = "--set", "replications=1", "--set", "workload.jobs=500"
        return {
            "EASY on a log": (*replay, "--policy", "easy"),
            "conservative": (*replay, "--policy", "conservative"),
            "users who react": ("thinktime", "feedback", str(log), "--policy", "easy", "--mode", "feedback", "--quiet"),
            "the model of the README": ("python", "model.py"),
            "slack": (*replay, "--policy", "slack:awt=3600", "--to", "432000"),
            "nodes": (*replay, "--policy", "easy", "--machines", "nodes.machines"),
            "a scenario": ("thinktime", "run", "scenario.toml", "--workers", "1", "--out", "results", "--quiet", *few),
            "a Slurm site": (*replay, "--site", "site.toml", "--to", "1728000"),
            "generate": ("thinktime", "generate", "lublin", "--jobs", "2000", "-o", "generated.swf"),
        }


def _first_model(readme: Path) -> str:
    found = re.search(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    if not found:
        raise SystemExit(f"{readme} has no model")
    return found[1]


def commands(tree: Tree, log: Path | None, jobs: int, only: list[str]) -> None:
    """Print the first and the second run of each command, or of those whose names contain one of the words."""
    print(f"{'':<26}first run: {'CPU s':>7}{'clock s':>9}   second run: {'CPU s':>7}{'clock s':>9}")
    for what, words in tree.prepare(log, jobs).items():
        if only and not any(word in what for word in only):
            continue
        tree.forget()
        (cpu, clock), (cpu_again, clock_again) = tree.run(*words), _again(tree, words)
        judged = "met" if cpu <= LIMIT else "NOT MET"
        print(
            f"{what:<37}{cpu:>7.2f}{clock:>9.2f}{'':<15}{cpu_again:>7.2f}{clock_again:>9.2f}   "
            f"first: {LIMIT:g} CPU s: {judged}",
            flush=True,
        )


def _again(tree: Tree, words: tuple[str, ...]) -> tuple[float, float]:
    shutil.rmtree(tree.place / "results", ignore_errors=True)  # else a scenario is done already
    return tree.run(*words)


def small(tree: Tree, repeat: int) -> None:
    """Print how long the smallest things take."""
    for what, words, limit in (
        ("python -c pass", ("python", "-c", "pass"), None),
        ("import thinktime", ("python", "-c", "import thinktime"), None),
        ("import thinktime, and its models", ("python", "-c", "import thinktime; thinktime.Machine"), None),
        ("thinktime --help", ("thinktime", "--help"), 0.3),
    ):
        line(f"{what} (median of {repeat})", median(tree.run(*words)[1] for _ in range(repeat)), "s", limit)


def install(commit: str, folder: Path) -> None:
    """Clone a commit of this repository and install it, as a user does."""
    for words in (
        ["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(folder)],
        ["git", "-C", str(folder), "checkout", "--quiet", commit],
    ):
        subprocess.run(words, check=True)
    began = time.perf_counter()
    subprocess.run(["make", "--silent", "-C", str(folder), "install"], check=True, stdout=sys.stderr)
    line(f"make install of {commit}", time.perf_counter() - began, "s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Start-up times.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="processes per small number (default 5)")
    parser.add_argument("--log", type=Path, help="a log with waits (default: a generated one)")
    parser.add_argument("--jobs", type=int, default=3_000, metavar="N", help="jobs of the generated log (default 3000)")
    parser.add_argument("--tree", type=Path, default=ROOT, help="a tree with `make install` done (default: this one)")
    parser.add_argument("--commit", action="append", default=[], help="a commit to install and measure; repeat it")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="only commands named so; repeat it")
    given = parser.parse_args()
    log = given.log and given.log.resolve()
    for commit in given.commit or [None]:
        with tempfile.TemporaryDirectory() as name:
            place = Path(name) / "place"
            place.mkdir()
            folder = given.tree
            if commit:
                folder = Path(name) / "tree"
                install(commit, folder)
            tree = Tree(folder, place)
            small(tree, given.repeat)
            commands(tree, log, given.jobs, given.only)


if __name__ == "__main__":
    main()
