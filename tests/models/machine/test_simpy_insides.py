"""What must hold of the SimPy that is installed for what `thinktime.models.machine.simpy_insides` takes from it."""

import contextlib
from collections import Counter
from importlib.metadata import version

import pytest
import simpy
from simpy.events import NORMAL, URGENT

from thinktime.models.machine import simpy_insides
from thinktime.models.machine.simpy_insides import (
    RUN,
    Recurring,
    Waiters,
    events_of,
    insert,
    is_simpys_own,
    is_woken_by_run,
    set_clock,
    take_number,
    take_priority,
)


@contextlib.contextmanager
def holds(sentence: str):
    """Say what does not hold, whatever has been raised."""
    try:
        yield
    except Exception as error:
        where = simpy_insides.__name__
        raise AssertionError(f"of SimPy {version('simpy')} it does not hold that {sentence}: see {where}") from error


def note(told: list, name: object):
    """A callback."""
    return lambda event: told.append((event.env.now, name))


def test_the_heap_of_events_is_always_the_same_list() -> None:
    """A machine that keeps the heap sees what is added later, by any way, and what is processed is gone from it."""
    with holds("events to come are (time, priority, number, event) in a heap that is never replaced"):
        env = simpy.Environment(5)
        kept = events_of(env)
        late, soon = env.timeout(3), env.timeout(1)
        assert kept[0] == (6.0, NORMAL, kept[0][2], soon)
        assert sorted((time, event) for time, _, _, event in kept) == [(6.0, soon), (8.0, late)]
        process = env.process(event for event in [late])
        assert {event for *_, event in kept} > {soon, late}
        while not soon.processed:
            env.step()
        assert events_of(env) is kept
        assert (kept[0][0], kept[0][3], env.peek()) == (8.0, late, 8.0)
        env.run()
        assert process.processed
        assert (kept, env.peek()) == ([], float("inf"))


def test_who_takes_an_event_out_of_the_heap_takes_it_back() -> None:
    """SimPy keeps no other account of its events."""
    with holds("an event that is taken out of the heap never happens"):
        env, told = simpy.Environment(), []
        for delay in 1, 2:
            env.timeout(delay).callbacks.append(note(told, delay))
        del events_of(env)[0]
        env.run()
        assert told == [(2, 2)]


def test_events_of_one_time_are_processed_by_their_numbers() -> None:
    """A number that was taken is no other's, and an event that is inserted with it has the place of that time."""
    with holds("events of one time and priority are processed by ascending numbers, of which each is given once"):
        env, told = simpy.Environment(), []
        env.timeout(1).callbacks.append(note(told, "before"))
        number = take_number(env)
        env.timeout(1).callbacks.append(note(told, "after"))
        numbers = sorted(entry[2] for entry in events_of(env))
        assert numbers[0] < number < numbers[1]
        event = Told(env, told, "between")
        insert(env, event, 1.0, number)
        env.run()
        assert told == [(1, "before"), (1.0, "between"), (1, "after")]


def test_a_taken_priority_comes_after_all_others() -> None:
    """Also after events that are added while others of this time are processed."""
    with holds("events of one time are processed by ascending priority, which may be above NORMAL"):
        env, told = simpy.Environment(), []
        priorities = [take_priority(), take_priority()]
        assert URGENT < NORMAL < priorities[0] < priorities[1]
        for priority in reversed(priorities):
            env.schedule(Told(env, told, priority), priority, 1.0)

        def react(event):
            told.append((env.now, "first"))
            env.event().succeed().callbacks.append(note(told, "reaction"))

        env.timeout(1).callbacks.append(react)
        env.run()
        assert [name for _, name in told] == ["first", "reaction", *priorities]


@pytest.mark.parametrize("start", [0.1, 1e9 + 1 / 3, -7.7])
def test_a_delay_is_added_to_the_time(start: float) -> None:
    """An alarm finds the delay whose sum with the time now is the time it wants."""
    with holds("schedule() adds the delay to the time as Python adds doubles"):
        env = simpy.Environment(start)
        env.schedule(Told(env, [], "it"), NORMAL, 0.7)
        assert events_of(env)[0][0] == env.peek() == start + 0.7


def test_the_clock_can_be_set() -> None:
    """To a later time, not to an earlier one; the next event happens at its own time."""
    with holds("_now is the time that now shows, and that delays begin at"):
        env, told = simpy.Environment(), []
        env.timeout(10).callbacks.append(note(told, "ten"))
        set_clock(env, 4.0)
        set_clock(env, 3.0)
        assert env.now == 4.0
        env.timeout(1).callbacks.append(note(told, "one"))
        env.run()
        assert told == [(5.0, "one"), (10, "ten")]


def test_run_and_step_are_simpys_own() -> None:
    """Those of a class that overrides one are not."""
    with holds("run() and step() are methods of simpy.Environment"):
        assert is_simpys_own(simpy.Environment())
        for name in "run", "step":
            other = type("Other", (simpy.Environment,), {name: lambda env: None})
            assert not is_simpys_own(other())
        assert is_simpys_own(type("Same", (simpy.Environment,), {})())


def asking(answers: list, event: simpy.Event):
    """A process that asks, once woken, who processes events, in a function of its own as the scheduler's."""

    def ask() -> bool:
        return is_woken_by_run()

    while True:
        yield event
        answers.append(ask())


def test_a_process_knows_whether_run_has_woken_it() -> None:
    """Not if a script calls ``step()``, at whatever depth within ``run()`` of another environment."""
    with holds("run() calls step(), which calls the _resume() that wakes a process, with nothing in between"):
        env, answers = simpy.Environment(), []
        ring = Told(env, [], "it")
        env.process(asking(answers, ring))
        for delay in range(1, 5):
            env.schedule(ring, take_priority(), delay)
        env.run(until=2.5)
        while len(answers) < 3:
            env.step()

        def stepping(other):
            env.step()
            yield other.timeout(1)

        other = simpy.Environment()
        other.process(stepping(other))
        other.run()
        assert answers == [True, True, False, False]
        assert RUN is simpy.Environment.run


class Told(Recurring):
    """An event that says when it happens."""

    def __init__(self, env: simpy.Environment, told: list, name: object) -> None:
        super().__init__(env)
        self._told, self._name = told, name

    def happen(self) -> None:
        self._told.append((self.env.now, self._name))


def test_an_event_can_recur() -> None:
    """It counts as triggered, is processed once for each time it is scheduled, and a process can wait for it again."""
    with holds("step() takes the callbacks away before it calls them, and processes what has been scheduled twice"):
        env, told, woken = simpy.Environment(), [], []
        event = Told(env, told, "it")
        assert (event.triggered, event.processed, event.ok, event.value) == (True, False, True, None)
        for delay in 1, 2, 4:
            env.schedule(event, take_priority(), delay)

        def waiting():
            while True:
                yield event
                woken.append(env.now)

        env.process(waiting())
        env.run()
        assert told == [(1, "it"), (2, "it"), (4, "it")]
        assert woken == [1, 2, 4]


def waiting_for(event: simpy.Event):
    """A process that waits for an event."""
    yield event


@pytest.mark.parametrize(
    "wait",
    [
        lambda env, event: env.process(waiting_for(event)),
        lambda env, event: env.all_of([event, env.event()]),
        lambda env, event: event | env.event(),
        lambda env, event: env.run(until=event),
        lambda env, event: event.callbacks.append(print),
    ],
    ids=["a process", "all of", "any of", "run until", "one's own"],
)
def test_who_waits_for_an_event_is_noted(wait) -> None:
    """SimPy adds to the list that an event has, and calls the list's own methods for it."""
    with holds("whoever waits for an event is added by append(), extend() or insert() of its callbacks"):
        env, noted = simpy.Environment(), Counter()
        event = env.event()
        event.callbacks = Waiters(lambda: noted.update(["wait"]))
        env.timeout(1).callbacks.append(lambda _: event.callbacks and noted.update(["kept"]))
        with contextlib.suppress(RuntimeError):  # run() comes to the end without the event
            wait(env, event)
        env.run()
        assert noted == {"wait": 1, "kept": 1}


def test_waiters_are_a_list() -> None:
    """All ways to add to it are noted, each once for each callback."""
    noted: list[str] = []
    waiters = Waiters(lambda: noted.append("wait"))
    waiters.append("b")
    waiters.extend(["c", "d"])
    waiters.insert(0, "a")
    assert (waiters, len(noted)) == (["a", "b", "c", "d"], 4)
