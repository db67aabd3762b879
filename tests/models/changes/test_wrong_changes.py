"""Wrong changes are one sentence each, and change nothing; so are windows for strangers."""

from collections.abc import Callable
from typing import Any

import pytest
import simpy

import thinktime as tt


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda machine: machine.fail([9], 10), "an outage of processor 9 is beyond the machine's 4"),
        (lambda machine: machine.fail(["a"], 10), "names the node 'a', but the machine is a pool: give indices"),
        (lambda machine: machine.fail([1.5], 10), r"what fails is given by indices, such as \[0, 3\]"),
        (lambda machine: machine.fail(3, 10), r"what fails is given by indices, such as \[0, 3\]"),
        (lambda machine: machine.fail([1], 0), "until must be a time after 0 s, not 0"),
        (lambda machine: machine.fail([1], "x"), "until: a duration must be a number of seconds.* not 'x'"),
        (lambda machine: machine.add_window(3), r"a window is such as Window\(3600, 7200, processors=64\), not 3"),
        (lambda machine: machine.add_window(tt.Window(1, 2, 30)), "it takes 30 processors, but the machine has 4"),
    ],
)
def test_wrong_changes_of_an_open_machine(change: Callable[[tt.Machine], Any], message: str) -> None:
    """The error says what would be right, and the machine goes on as before."""
    machine = tt.Machine(simpy.Environment(), 4, changes=tt.Changes())
    with pytest.raises((TypeError, ValueError), match=message):
        change(machine)
    job = machine.submit(tt.Job(runtime=5, processors=4))
    machine.env.run()
    assert job.value.runs == ((0, 5, "finished"),)


@pytest.mark.parametrize("change", [lambda machine: machine.fail([1], 10), lambda m: m.add_window(tt.Window(1, 2, 3))])
def test_other_machines_do_not_change(change: Callable[[tt.Machine], Any]) -> None:
    """A machine without changes says how to open one that changes."""
    machine = tt.Machine(simpy.Environment(), 4)
    with pytest.raises(ValueError, match=r"for machines that change: open this one with changes=Changes\(\)"):
        change(machine)


def test_changes_are_changes() -> None:
    """A table is no `Changes`, and a number no windows."""
    with pytest.raises(TypeError, match="changes must be such as Changes"):
        tt.Machine(simpy.Environment(), 4, changes={"windows": []})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"windows must be such as \[Window"):
        tt.Changes(windows=3)  # type: ignore[arg-type]


def test_ranks_that_no_queue_has_are_noted() -> None:
    """Under a policy that preempts by ranks of queues, a result says if no job was in such a queue."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "easy:preempt=requeue,ranks=urgent:1")
    machine.submit(tt.Job(runtime=5, queue="urgnt"))
    env.run()
    (note,) = machine.result().notes
    assert note.startswith("no job was in a queue that easy:")
    machine.submit(tt.Job(runtime=5, queue="urgent"))
    assert machine.result().notes == []


def test_any_number_of_restarts() -> None:
    """A bound on restarts that no job reaches may be of any size."""
    machine = tt.Machine(simpy.Environment(), 4, changes=tt.Changes(max_restarts=10**300))
    job = machine.submit(tt.Job(runtime=5))
    machine.env.run()
    assert job.value.end == 5


COLUMNS: dict[str, Any] = {"submit": [0, 1], "runtime": [10, 20], "allocated": [2, 1], "user": [3, 4]}
NUMBERED = tt.Trace(COLUMNS)
NAMED = NUMBERED.with_names({"user": {3: "ann", 4: "bob"}})


def replayed(log: tt.Trace, strangers: str = "refuse", **admits: Any) -> Any:
    """A replay with a window for a user."""
    changes = tt.Changes(windows=[tt.Window(50, 60, 1, **admits)], strangers=strangers)
    return tt.replay(log, "easy", 4, changes=changes)


@pytest.mark.parametrize(
    ("log", "admits", "complaint"),
    [
        (NUMBERED, {"users": [7]}, "admits user 7, whom the log does not have"),
        (NUMBERED, {"users": [3, "ann"]}, "admits user 'ann', whom"),
        (NUMBERED, {"jobs": [1, 5]}, "admits job 5, which the log does not have"),
        (NAMED, {"users": ["anne"]}, "'anne', whom the log does not have; did you mean 'ann'"),
        (NAMED, {"users": [3]}, "its users have names, and number 3 is 'ann'"),
    ],
)
def test_strangers_are_refused(log: tt.Trace, admits: dict[str, Any], complaint: str) -> None:
    """One sentence says who it is, and who may be meant; if that is asked for, it is a note."""
    with pytest.raises(ValueError, match=complaint):
        replayed(log, **admits)
    assert any(complaint in note for note in replayed(log, "note", **admits).notes)


def test_who_is_in_the_log_is_admitted() -> None:
    """By name, by number, and by a number as text."""
    for log, admits in ((NUMBERED, {"users": [3, "4"], "jobs": [2]}), (NAMED, {"users": ["ann"]})):
        assert replayed(log, **admits).notes == []


def test_a_job_number_of_300_digits() -> None:
    """It is one sentence, with at most 40 characters of the number."""
    with pytest.raises(ValueError, match="jobs must be job numbers below") as caught:
        tt.Window(0, 9, 1, jobs=[10**300])
    assert len(str(caught.value)) < 100
