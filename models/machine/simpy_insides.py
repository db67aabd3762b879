"""What the package takes from SimPy beyond its public names: all of it is here, each with the reason why.

Most of it is for speed or for exact ties. Between two events of SimPy no other process can act, so a *leap*
(`thinktime.models.machine.scheduler`) goes through many instants in one wake-up; and users who follow plans act in the
order in which SimPy would have woken their processes (`thinktime.models.machine.plans`).
`tests/models/machine/test_simpy_insides.py` holds each against the SimPy that is installed.
"""

import sys
from collections.abc import Callable, Iterable
from heapq import heappush
from itertools import count
from typing import Any, SupportsIndex

import simpy
from simpy.core import StopSimulation
from simpy.events import NORMAL, EventPriority

Entry = tuple[float, EventPriority, int, simpy.Event]
"""An event to come: its time (s), its priority, its number, and the event."""
RUN, STEP = simpy.Environment.run, simpy.Environment.step
TO_RUN = 5
"""From `is_woken_by_run` to ``run()``: who asks, the process that it is a part of, ``_resume()``, ``step()``."""
_priorities = count(NORMAL + 1)


def events_of(env: simpy.Environment) -> list[Entry]:
    """The events to come, as the heap that SimPy keeps: always the same list.

    SimPy tells the time of the next event (``peek()``), but not whose it is. A leap goes on to the next event of
    anybody but the machine itself, and takes the machine's own out of the heap. Compiled code looks at this list in the
    middle of a leap, for events that own Python code has added; calling ``peek()`` at every instant would take longer.
    """
    return env._queue


def take_number(env: simpy.Environment) -> int:
    """Take the number that the next event would get.

    SimPy processes events of one time and one priority by their numbers, which it does not tell. Batches and users
    without processes are released in the order of the numbers that their events would have.
    """
    return next(env._eid)


def take_priority() -> EventPriority:
    """A priority after those that SimPy gives, and after all that were taken before.

    SimPy names two and says that the lower one is first, but not that there may be more. An event with such a priority
    is the last of its time, so all processes have reacted before it; among schedulers, the first to be made is first.
    """
    return EventPriority(next(_priorities))


def insert(env: simpy.Environment, event: simpy.Event, time: float, number: int) -> None:
    """Let an event happen at a time (s), as if it had got its number when that was taken.

    ``schedule()`` gives the next number instead, and takes a delay, which added to the time may be rounded.
    """
    heappush(events_of(env), (time, NORMAL, number, event))


def set_clock(env: simpy.Environment, now: float) -> None:
    """Let the clock show a later time (s), before the next event; an earlier one is ignored.

    The clock cannot be set by public names. A leap is ahead of it, and policies, keys and observers in Python that are
    called in the middle may look at it.
    """
    if now > env._now:
        env._now = now


def stop(env: simpy.Environment) -> None:
    """Let ``run()`` return after what happens now, whatever it was to run until: see `run_until`.

    SimPy stops at one time or one event, which is given before.
    """
    event = simpy.Event(env)
    assert event.callbacks is not None
    event.callbacks.append(StopSimulation.callback)
    event.succeed()


def run_until(env: simpy.Environment, over: simpy.Event, between: Callable[[], None]) -> None:
    """Run until an event has been processed; ``between`` is called whenever the run has stopped, also before (`stop`).

    SimPy does not say why it has stopped, and leaves its own callback among those of the event, before later ones.
    """
    processed: list[simpy.Event] = []
    if over.processed:
        return
    over.callbacks.append(processed.append)
    while not processed:
        env.run(until=over)
        callbacks: Any = over.callbacks
        if callbacks and StopSimulation.callback in callbacks:
            callbacks.remove(StopSimulation.callback)
        between()


def is_simpys_own(env: simpy.Environment) -> bool:
    """Whether ``run()`` and ``step()`` are those of SimPy.

    Both are public, but what they do between two events is not said; another class's may look at the machine there.
    """
    return type(env).run is RUN and type(env).step is STEP


def is_woken_by_run() -> bool:
    """Whether ``run()`` of SimPy processes the event that has woken the process of which the caller is a part.

    SimPy does not say who processes events. A caller of ``step()`` may look at the machine after each.
    """
    return sys._getframe(TO_RUN).f_code is RUN.__code__


class Recurring(simpy.Event):
    """An event that has been triggered from the beginning, and can be processed again and again.

    A public event is triggered once, by ``succeed()``, which schedules it for now, and processed once. One for each
    wake-up of the scheduler would be made and thrown away at every instant.
    """

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._ok, self._value = True, None
        self.callbacks = [self._renew]

    def happen(self) -> None:
        """What is done first, whenever the event is processed."""
        raise NotImplementedError

    def _renew(self, event: simpy.Event) -> None:
        """Become an event that has not been processed; called first, before a process waits for it again."""
        self.callbacks = [self._renew]
        self.happen()


class Waiters(list[Any]):
    """The callbacks of an event; each that is added is noted by a call.

    ``callbacks`` is public, but not that SimPy adds to it in no other way than through the methods of a list. If there
    are any for the end of a job, the machine must stop for them.
    """

    def __init__(self, attend: Callable[[], None]) -> None:
        super().__init__()
        self._attend = attend

    def append(self, callback: Any) -> None:
        """A process waits for the event."""
        super().append(callback)
        self._attend()

    def extend(self, callbacks: Iterable[Any]) -> None:
        """Several processes wait for the event."""
        for callback in callbacks:
            self.append(callback)

    def insert(self, place: SupportsIndex, callback: Any) -> None:
        """A process waits for the event, and wants to be told before others."""
        super().insert(place, callback)
        self._attend()
