"""Limits against a real Slurm: who starts when, who waits for ever, who is refused, and why."""

import csv
from pathlib import Path

import pytest
import simpy

import thinktime as tt
from thinktime.models.state import State

RUNS = sorted(path for path in (Path(__file__).parent / "measured").iterdir() if path.is_dir())
WHY = {
    "c0": "max_tres_per_user (cpu) of QOS deny",
    "s2": "max_submit of QOS sub",
    "k1": "user tt1 has no association there",
}
NEVER = {
    "c1": "max_tres_per_user (cpu) of QOS c8",
    "w1": "max_wall of QOS wall",
    "w2": "max_time of partition short",
    "p1": "max_tres (cpu) of QOS pj",
}


def rows(path):
    """The rows of a table."""
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def played(folder):
    """The machine after the jobs of a run, and their events by name."""
    env = simpy.Environment()
    machine = tt.MachineSpec.of_site(tt.Site.read(folder / "site.toml")).open(env)
    events = {}

    def submit():
        for row in rows(folder / "in.csv"):
            yield env.timeout(int(row["t"]) - env.now)
            labels = {"user": row["user"], "group": row["account"] or None}
            labels |= {"queue": row["qos"] or None, "partition": row["partition"] or None}
            size = {"nodes": f"{row['nodes']}:ppn=8"} if row["nodes"] else {"processors": int(row["cpus"])}
            job = tt.Job(runtime=int(row["sleep"]), estimate=60 * int(row["limit"]), **labels, **size)
            events[row["name"]] = machine.submit(job)

    env.process(submit())
    env.run()
    return machine, events


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_starts_are_slurms(folder):
    """Every start within two seconds; who waits for ever does so here, and who was refused is told why."""
    machine, events = played(folder)
    theirs = {row["name"]: row for row in rows(folder / "out.csv")}
    for name, event in events.items():
        if name not in theirs:
            assert (event.value.state, event.value.why) == (State.REFUSED, WHY[name])
        elif theirs[name]["state"] == "PENDING":
            assert event.state == State.WAITING and not event.triggered
        else:
            assert abs(event.value.start - int(theirs[name]["start"])) <= 2, name
    waiting = {name for name, row in theirs.items() if row["state"] == "PENDING"}
    notes = " ".join(machine.result().notes)
    assert all(NEVER[name] in notes for name in waiting & set(NEVER))
