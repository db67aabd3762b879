"""Runs end although random failures never do, once nothing can start any more."""

import dataclasses
from typing import Any

import pytest
import simpy

import thinktime as tt
from thinktime.models.machine.changing import timeline

LOG = tt.Trace({"submit": [0, 0, 5], "runtime": [100, 10, 10], "requested_time": [100, 20, 20], "allocated": [1, 1, 1]})
CHANGES = tt.Changes(failures=tt.Failures(mtbf="1h", mttr="10min"))
SITE = """
nodes = [{ name = "n", count = 2, resources = { processors = 4 } }]
partitions = [{ name = "batch", default = true, max_time = 60 }]
enforce = ["limits"]
enforce_partition_limits = "NO"
"""


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failures are drawn in small steps."""
    monkeypatch.setattr(timeline, "EVENTS", 32)


@pytest.mark.parametrize("policy", ["slurm", "easy", "conservative", "ostrich", "conservative-dynamic"])
def test_a_job_beyond_a_limit(policy: str) -> None:
    """A job that no failure brings within its limit waits for ever, and the run is over all the same."""
    machine = dataclasses.replace(tt.Site.from_toml(SITE).machine(), changes=CHANGES)
    result = tt.run(machine.under(policy), tt.sources.log(LOG))
    assert result.summary()["waiting"] == 1
    assert result.notes[0] == "1 job waits for ever: max_time of partition batch"
    assert any(note.startswith("no failures were drawn after") for note in result.notes)


LEFT = "3 jobs are left in the queue: the policy starts none of them, though nothing runs"


def never(view: Any, now: float) -> list[Any]:
    """A policy that starts nothing."""
    return []


def test_a_policy_that_starts_nothing() -> None:
    """The machine was idle and up, and the policy did not want it."""
    result = tt.run(tt.MachineSpec(4, never, changes=CHANGES), tt.sources.log(LOG))
    [note] = result.notes
    assert note.startswith(f"{LEFT}; no failures were drawn after ")
    assert result.summary()["waiting"] == 3


def test_a_policy_that_returns_none() -> None:
    """One note says what is left, why, and that no failures were drawn."""
    result = tt.run(tt.MachineSpec(4, lambda view, now: None, changes=CHANGES), tt.sources.log(LOG))
    [note] = result.notes
    assert note.startswith(f"{LEFT} (it returned None at 0 s, ")
    assert "return []); no failures were drawn after" in note


def test_windows_and_users_are_awaited() -> None:
    """Failures go on while a window, or a user who thinks, is still to come."""
    late = 40 * tt.DAY
    windows = dataclasses.replace(CHANGES, windows=[tt.Window(late, late + 60, 1)])
    waited = tt.run(tt.MachineSpec(4, never, changes=windows), tt.sources.log(LOG))
    assert waited.now > late
    env = simpy.Environment()
    machine = tt.Machine(env, 4, never, changes=CHANGES)

    def user() -> Any:
        for pause in (late, 60):
            machine.submit(tt.Job(runtime=1))
            yield env.timeout(pause)

    env.run(env.process(user()))
    history = machine.result().history
    assert machine.result().notes == [] and history is not None and history.outages.start.max() > late / 2


def test_a_wide_job_waits_for_the_whole_machine() -> None:
    """As long as it had no room, failures are drawn: it starts as soon as all processors are up."""
    wide = tt.Trace({"submit": [0, 1], "runtime": [10, 10], "requested_time": [20, 20], "allocated": [9, 9]})
    often = tt.Changes(failures=tt.Failures(mtbf="20min", mttr="10min"))
    result = tt.run(tt.MachineSpec(9, "fcfs", changes=often), tt.sources.log(wide))
    assert result.summary()["waiting"] == 0 and result.notes == []
