"""What the engine asks Python in a leap: when a batch of a chain comes, how long a user thinks, what users wish.

A leap may be far ahead of SimPy's clock, and those who answer must not look at it: they are told what time it is. What
they raise comes out of the leap. Answers are written where the engine looks for them
(`thinktime.models.engine.sources.releases.ask`). Users who respond when a batch is due may look at everything and make
rows: the leap stops before they are asked.
"""

import weakref
from bisect import bisect_right
from collections.abc import Callable

from thinktime.models.engine.codes import machine_state as at
from thinktime.models.engine.sources.releases import move
from thinktime.models.jobs.pool import Pool
from thinktime.workloads.grid import ceil_to_grid

Later = Callable[[int, float, float, int], float]
"""When a batch is submitted (s), from its number in the chain, the time at which it is free, its release by recorded
think times, and the batch that it waited for last."""
Respond = Callable[[int, float], float]
"""When a batch is submitted that is due (s), from its number in the chain, or its user's in the plan, and the time."""
Thinking = Callable[[int, float], None]
"""Finds out how long a user who follows a plan thinks, from a time on."""
Called = Callable[[float], bool | None]
"""Does at a time what the engine cannot do; true if a user may react."""


class Questions:
    """Those that the engine asks of one machine."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._later: dict[int, tuple[int, Later]] = {}
        self._respond: list[tuple[int, Respond]] = []
        self._think: Thinking | None = None
        self._called: dict[int, weakref.WeakMethod[Called]] = {}
        own = weakref.proxy(self)  # so that a machine without users goes at once, with its arrays
        pool.answers = pool.truth.answers = lambda who: own._answer(who)

    def about_chain(self, watch: int, first: int, later: Later) -> None:
        """Who is asked about the batches, from a number on, of the chain that a watch follows."""
        self._later[watch] = first, later

    def about_responses(self, first: int, respond: Respond) -> None:
        """Who is asked when batches, from a number on, are due."""
        self._respond.append((first, respond))

    def about_users(self, think: Thinking) -> None:
        """Who is asked about users who follow plans."""
        self._think = think

    def about(self, what: int, called: Called) -> None:
        """The method that is called for one of the other questions (`thinktime.models.engine.codes.machine_state`)."""
        self._called[what] = weakref.WeakMethod(called)  # a forecast is to go at once, with its arrays

    @property
    def awaits_response(self) -> bool:
        """Whether the engine has stopped for a batch whose user has to be asked, now that it is due."""
        who = self._pool.truth.who
        return who >= 0 and self._pool.batches.batches.responds.item(who) == at.WILL_RESPOND

    def respond(self, now: float) -> None:
        """Ask the user of this batch, who submits it now, or puts it off."""
        truth, who = self._pool.truth, self._pool.truth.who
        first, respond = self._respond[bisect_right(self._respond, who, key=lambda each: each[0]) - 1]
        release = ceil_to_grid(respond(who - first, now))
        batches = self._pool.batches.batches
        if release > now:
            batches.release[who], truth.balked_at = release, now
            move(truth, who)
        else:
            batches.responds[who] = at.HAS_RESPONDED

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
