"""What the engine asks Python in a leap: when a batch of a chain comes, how long a user thinks, what users wish.

A leap may be far ahead of SimPy's clock, and those who answer must not look at it: they are told what time it is. What
they raise comes out of the leap. Answers are written where the engine looks for them
(`thinktime.models.engine.sources.releases.ask`).
"""

import weakref
from collections.abc import Callable

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.jobs.pool import Pool
from thinktime.workloads.grid import ceil_to_grid

Later = Callable[[int, float, float, int], float]
"""When a batch is submitted (s), from its number in the chain, the time at which it is free, its release by recorded
think times, and the batch that it waited for last."""
Thinking = Callable[[int, float], None]
"""Finds out how long a user who follows a plan thinks, from a time on."""
Called = Callable[[float], bool | None]
"""Does at a time what the engine cannot do; true if a user may react."""


class Questions:
    """Those that the engine asks of one machine."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._later: dict[int, tuple[int, Later]] = {}
        self._think: Thinking | None = None
        self._called: dict[int, weakref.WeakMethod[Called]] = {}
        own = weakref.proxy(self)  # so that a machine without users goes at once, with its arrays
        pool.answers = pool.truth.answers = lambda who: own._answer(who)

    def about_chain(self, watch: int, first: int, later: Later) -> None:
        """Who is asked about the batches, from a number on, of the chain that a watch follows."""
        self._later[watch] = first, later

    def about_users(self, think: Thinking) -> None:
        """Who is asked about users who follow plans."""
        self._think = think

    def about(self, what: int, called: Called) -> None:
        """The method that is called for one of the other questions (`thinktime.models.engine.codes.machine_state`)."""
        self._called[what] = weakref.WeakMethod(called)  # a forecast is to go at once, with its arrays

    def _answer(self, who: int) -> bool | None:
        now = self._pool.truth.asked_at
        if who >= 0:
            self._release(who, now)
        elif who <= at.NEWCOMERS:
            called = self._called[who]()
            assert called is not None
            return called(now)
        else:
            assert self._think is not None
            self._think(-1 - who, now)
        return None

    def _release(self, batch: int, now: float) -> None:
        batches = self._pool.batches.batches
        first, later = self._later[batches.total.item(batch)]
        release = later(batch - first, now, batches.release.item(batch), batches.last.item(batch) - first)
        batches.release[batch] = ceil_to_grid(release)
