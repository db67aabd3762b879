"""Under every rule, on every machine: the same by leaps and instant by instant, and no job before it is eligible."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from tests.how_many import in_turn
from tests.models.eligibility.cases import played, random_tasks, spec_of
from tests.models.eligibility.test_twin import found
from tests.models.eligibility.twin import Task
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.nodes import Cluster, Nodes

RULES = [
    "no-guarantee:order=wfp3", "easy:reservations=2", "easy:order=fairshare", "easy:order=relshare,window=40s",
    "conservative", "conservative:order=sjf,compress=event", "conservative-dynamic", "slurm:bf_interval=0",
    "cplant:starve=10s", "ostrich", "ostrich-slurm", "faircamp", "slack:awt=30", "slack:awt=20,delayed=removed",
    "tradeoff:limit=20",
]  # fmt: skip
CHANGES = tt.Changes([Window(20, 24, 2)], Outages.of([(9, 15, "0-2"), (33, 35, "1")]), requeue_delay=2.0)
MACHINES: dict[str, dict[str, Any]] = {
    "processors": {},
    "nodes": {
        "processors": None,
        "nodes": Nodes([Cluster("a", 1, {"processors": 3}), Cluster("b", 1, {"processors": 2})]),
    },
    "changes": {"changes": CHANGES},
}
ON_CHANGES = [rule for rule in RULES if rule != "slack:awt=30"]
ALL = [(rule, "processors") for rule in RULES] + [(rule, "nodes") for rule in RULES[:9]]
ALL += [(rule, "changes") for rule in ON_CHANGES]


@pytest.mark.parametrize(("case", "seed"), in_turn(2, ALL, (3, 4)))
def test_leaps_change_nothing(case: tuple[str, str], seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results, and what users are told in which order, are the same; no job starts before it is eligible."""
    seen, (rule, machine) = [], case
    for leap in "01":
        monkeypatch.setenv("THINKTIME_LEAP", leap)
        result, told = played(random_tasks(seed), spec_of(rule, seed == 4, **MACHINES[machine]))
        seen.append((found(result), told))
        jobs = result.jobs.dropna(subset="start")
        assert (jobs["start"] >= jobs["eligible"]).all() and (jobs["eligible"] >= jobs["submit"]).all()
    assert seen[0] == seen[1]


def as_submitted_when_eligible(tasks: list[Task], since: dict[int, float]) -> list[Task]:
    """The jobs that became eligible, submitted at that time and waiting for nothing, with other numbers."""
    eligible = [task for task in tasks if task.id in since]
    changed = [
        Task(task.id, since[task.id], task.runtime, task.estimate, task.width, task.user, cancelled=task.cancelled)
        for task in eligible
    ]
    return sorted(changed, key=lambda each: (each.submit, each.id))


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["none", "easy", "conservative-dynamic", "conservative"]))
def test_others_are_scheduled_as_if_they_were_not_there(seed: int, rule: str) -> None:
    """In an order that does not go by submission, a job that waits aside is to others as one not submitted yet."""
    tasks = [task for task in random_tasks(seed) if task.array is None]
    known = {task.id for task in tasks}
    for task in tasks:
        kinds = ("afterany", "afterok", "afternotok")  # others may be met after the pass of an instant
        task.wishes = [wish for wish in task.wishes if set(wish.jobs) <= known and wish.kind in kinds]
        if task.hold is not None and task.hold[0] > task.submit:
            task.hold = None  # until it is held, it may be in the queue
        task.estimate += task.id / 1024.0  # no two alike
        task.runtime = max(task.runtime, 1.0)
    result, _ = played(tasks, spec_of(f"{rule}:order=sjf"))
    jobs = result.jobs.set_index("id")
    since = dict(jobs["eligible" if "eligible" in jobs else "submit"].dropna().items())
    again, _ = played(as_submitted_when_eligible(tasks, since), spec_of(f"{rule}:order=sjf"))
    same = again.jobs.set_index("id")["start"]
    assert same.equals(jobs["start"].reindex(same.index))


def test_the_random_jobs_are_a_crowd() -> None:
    """Some wait aside, some in the queue, some for ever."""
    jobs = pd.concat([played(random_tasks(seed), spec_of("easy"))[0].jobs for seed in range(3, 9)])
    assert {"waiting", "finished", "killed", "withdrawn"} <= set(jobs["state"])
    assert (jobs["eligible"] > jobs["submit"]).sum() > 9 and (jobs["start"] > jobs["eligible"]).sum() > 9
