"""Evolving jobs ask for other sizes themselves, and get them, go on without, or wait."""

from typing import Any

import pytest
import simpy

import thinktime as tt
from thinktime.models.engine import shapes
from thinktime.workloads.shapes.shape import Shape

Stage = tuple[float, float, int]
POOL, NODES = {"processors": 8}, {"nodes": tt.Nodes.uniform(2, 4)}


def evolving(asks: str, **more: Any) -> tt.Job:
    """A job with 100 s of work on 4 of 1 to 8 processors."""
    return tt.Job(runtime=100, shape=Shape("1-8", 4, kind="evolving", asks=asks, **more))


def played(
    machine: dict[str, Any], base: str, *jobs: tuple[float, tt.Job], options: str = ""
) -> tuple[list[list[Stage]], list[str]]:
    """The stages of jobs that are submitted at their times, and what the result notes."""

    def user(env: Any, machine: tt.Machine) -> Any:
        for time, job in jobs:
            yield env.timeout(time - env.now)
            machine.submit(job)

    result = tt.run(tt.MachineSpec(policy=f"shapes:{options}base={base}", **machine), user)
    runs = result.history.runs
    found: list[list[Stage]] = [[] for _ in jobs]
    columns = (each.tolist() for each in (runs.row, runs.start, runs.end, runs.processors))
    for row, *stage in zip(*columns, strict=True):
        found[row].append(tuple(stage))
    return found, result.notes


OTHER = 10, tt.Job(runtime=60, processors=4)


@pytest.mark.parametrize("machine", [POOL, NODES], ids=["pool", "nodes"])
@pytest.mark.parametrize("base", ["none", "easy", "conservative", "conservative-dynamic", "no-guarantee"])
def test_by_hand(machine: dict[str, Any], base: str) -> None:
    """Granted at once; refused, since others run; and waited for, until they have ended."""
    assert played(machine, base, (0, evolving("0.5:8")))[0] == [[(0, 50, 4), (50, 75, 8)]]
    assert played(machine, base, (0, evolving("0.5:8")), OTHER)[0][0] == [(0, 100, 4)]
    assert played(machine, base, (0, evolving("0.5:8!")), OTHER)[0][0] == [(0, 70, 4), (70, 95, 8)]


def test_what_it_needs_no_more_is_given_back_at_once() -> None:
    """At 25 s it has two processors, and stands still for 5 s; at 80 s it has done half, and gets all of them."""
    stages = [(0, 25, 4), (25, 80, 2), (80, 110, 8)]
    assert played(POOL, "easy", (0, evolving("0.25:2 0.5:8", cost=5)))[0] == [stages]


def test_nobody_is_delayed_for_it() -> None:
    """The head of the queue has a reservation for the end of the first job, which the ask of the second would delay."""
    first, head = tt.Job(runtime=60, processors=4), (1, tt.Job(runtime=10, processors=6))
    second = tt.Job(runtime=100, shape=Shape("1-4", 2, kind="evolving", asks="0.2:3"))
    assert played(POOL, "easy", (0, first), (0, second), head)[0][1] == [(0, 100, 2)]


@pytest.mark.parametrize("machine", [POOL, NODES], ids=["pool", "nodes"])
@pytest.mark.parametrize("base", ["easy", "conservative", "conservative-dynamic"])
def test_nobody_is_delayed_by_a_later_end(machine: dict[str, Any], base: str) -> None:
    """At 50 s two processors more are free for good, but with them and a pause of 40 s it would end at 123 s.

    The next job has a reservation for 100 s. Beside one that runs already, it gets them.
    """
    asking, wide, narrow = (
        evolving("0.5:6", cost=40),
        tt.Job(runtime=50, processors=6),
        tt.Job(runtime=50, processors=2),
    )
    stages = played(machine, base, (0, asking), (10, wide))[0]
    assert stages == [[(0, 100, 4)], [(100, 150, 6)]]
    stages = played(machine, base, (0, asking), (10, narrow))[0]
    assert [stage[2] for stage in stages[0]] == [4, 6] and stages[0][-1][1] > 120


@pytest.mark.parametrize("machine", [POOL, NODES], ids=["pool", "nodes"])
@pytest.mark.parametrize("asks", ["0.5:8", "0.5:8!"])
def test_who_is_beyond_its_limit_may_get_what_it_asks_for(machine: dict[str, Any], asks: str) -> None:
    """Its limit is over at 30 s; at 50 s it asks, and is expected to end within a second, not before."""
    one = tt.Job(runtime=100, estimate=30, shape=Shape("4 8", 4, kind="evolving", asks=asks))
    assert played(machine | {"overrun": "extend"}, "easy", (0, one))[0] == [[(0, 50, 4), (50, 75, 8)]]
    env = simpy.Environment()
    made = tt.MachineSpec(policy="shapes", overrun="extend", **machine).open(env)
    made.submit(one)
    env.run(until=50)
    state = made.pool.state
    assert shapes.end_with(state, 0, 50.0, int(state.form_first[state.form[0]]) + 1) == 51


def test_who_asks_at_one_time_does_so_by_the_start_of_the_run_then_by_id() -> None:
    """Both ask at 50 s for four of the four idle processors; the second is expected to end first."""
    shape = Shape("2 6", 2, kind="evolving", asks="0.5:6")
    first, second = (tt.Job(runtime=100, estimate=estimate, shape=shape) for estimate in (200, 150))
    found = played(POOL, "easy", (0, first), (0, second))[0]
    assert found[1] == [(0, 100, 2)] and found[0][1][::2] == (50, 6)


def test_an_interrupted_job_asks_for_nothing() -> None:
    """A failure ends its run at 20 s; nothing happens at 50 s, when it would have asked, and no job grows then."""
    asking = tt.Job(runtime=100, shape=Shape("4 6", 4, kind="evolving", asks="0.5:6"))
    growing = tt.Job(runtime=200, shape=Shape("2-8", 2, gap=25))
    machine = {"processors": 8, "changes": tt.Changes(outages=tt.Outages.of([(20, 300, "0")]))}
    stages, _ = played(machine, "none", (0, asking), (0, growing), options="expand=oldest,")
    assert stages[1] == [(0, 100, 4)]


def test_a_deadlock_is_said() -> None:
    """Two jobs hold half of the machine each, and wait for all of it."""
    stages, notes = played(POOL, "easy", (0, evolving("0.5:8!")), (0, evolving("0.5:8!")))
    assert stages == [[(0, 50, 4)], [(0, 50, 4)]]
    (said,) = (note for note in notes if "deadlock" in note)
    assert said.startswith("2 running jobs (1, 2) will wait for ever")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"asks": "0.5:8"}, "an evolving job, and no other, says what it asks for"),
        ({"kind": "evolving"}, "an evolving job, and no other, says what it asks for"),
        ({"kind": "evolving", "asks": "0.5:16"}, "an evolving job asks for one of its sizes 1-8, not 16"),
        ({"kind": "evolving", "asks": "0.5:4 0.2:8"}, "asks are at shares of the work that ascend"),
        ({"kind": "evolving", "asks": "half:4"}, "asks are such as"),
    ],
)
def test_asks_that_cannot_be(words: dict[str, Any], said: str) -> None:
    """Wrong asks have a sentence each."""
    with pytest.raises(ValueError, match=said):
        Shape("1-8", 4, **words)


def test_asks_are_read_back() -> None:
    """A shape with asks is that of its text."""
    shape = Shape("1-8", 4, kind="evolving", asks="0.3:8! 0.7:4")
    assert Shape.parse('1-8 preferred=4 kind=evolving asks="0.3:8! 0.7:4"') == shape == Shape.parse(str(shape))
    assert shape.asked[0].insists and not shape.asked[1].insists
