"""Preemption against a real Slurm: who starts and ends when, where, and who was preempted."""

import csv
from pathlib import Path

import pytest
import simpy

import thinktime as tt
from tests.models.onlooker import Onlooker
from thinktime.models.state import State

RUNS = sorted(path for path in (Path(__file__).parent / "measured").iterdir() if path.is_dir())
PREEMPTED = {
    "t07_cancel": {"L2": [(3, 23)]},
    "t07_requeue": {"L2": [(3, 12)]},
    "t07_spare": {"L1": [(0, 20)]},
    "t07_suspend3": {"L1": [(0, 12)]},
    "t07_two": {"L2": [(3, 12)], "L3": [(6, 12)]},
    "t07_young": {"L3": [(6, 12)]},
}
"""The runs that were broken off, which out.csv does not have: from sacct, and from squeue for the suspended job."""
APART = 2
"""Seconds from a start, or an end, to the real one, at most."""


def rows(path):
    """The rows of a table."""
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def played(folder, observed):
    """The machine after the jobs of a run, and their events by name."""
    env = simpy.Environment()
    machine = tt.Site.read(folder / "site.toml").machine().open(env)
    events = {}
    if observed:
        machine.observe(Onlooker())

    def submit():
        for row in rows(folder / "in.csv"):
            yield env.timeout(int(row["t"]) - env.now)
            labels = {"user": row["user"], "queue": row["qos"], "partition": row["partition"] or None}
            times = {"runtime": int(row["sleep"]), "estimate": 60 * int(row["limit"])}
            events[row["name"]] = machine.submit(tt.Job(nodes=f"{row['nodes']}:ppn=8", **times, **labels))

    env.process(submit())
    env.run()
    return machine, events


@pytest.mark.parametrize("observed", [False, True], ids=["leaps", "step by step"])
@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_runs_are_slurms(folder, observed):
    """Every run begins and ends within two seconds of the real one, on the same nodes."""
    machine, events = played(folder, observed)
    runs, names = machine.result().runs, {event.value.id: name for name, event in events.items()}
    broken, last = {}, {}
    for run in runs.itertuples():
        if run.how == "preempted":
            broken.setdefault(names[run.job], []).append((run.start, run.end))
        last[names[run.job]] = run
    assert broken == PREEMPTED[folder.name]
    for row in rows(folder / "out.csv"):
        ours = last[row["name"]]
        end = "" if row["state"] == "PENDING" else row["end"]
        start = ours.start if folder.name != "t07_suspend3" or row["name"] != "L1" else 0
        assert abs(start - int(row["start"])) <= APART, row
        assert not end or abs(ours.end - int(end)) <= APART, row
        assert row["nodes"] in ("", nodes_in(ours.indices)), row


def nodes_in(indices):
    """Slurm's name of some nodes, of which ours are numbered from 0."""
    first, _, stop = indices.partition("-")
    return f"n[{int(first) + 1}-{int(stop) + 1}]" if stop else f"n{int(first) + 1}"


def test_a_cancelled_job_is_preempted():
    """Its record says so, as Slurm's state PREEMPTED does."""
    _, events = played(RUNS[0], observed=False)
    record = events["L2"].value
    assert (record.state, record.preempted) == (State.KILLED, True)
    assert not any(events[name].value.preempted for name in ("L1", "L3", "H1"))
