"""Think times in a replay with feedback: how long a user pauses when what it waited for is over.

By default users think as long as in the log. A function of the `Pause` can say otherwise, and two are here:

``clock``
    Breaks of more than four hours end at the recorded time of day, after as many of the user's working days as in the
    log, so that a night stays a night when the jobs of the day before end earlier or later. Shorter pauses are kept.
    What kind of day it is, is read from the log (`thinktime.users.local_hours`); a day begins in the log's quietest
    hour. If the recorded time of that day is over, the break ends on the next working day.

``reacting``
    The pause keeps its rank in the distribution of pauses, given the response time and the hour at which they began: a
    user who paused longer than nine in ten did after such a response at such an hour, does so again after
    another response at another hour. The distribution is that of the nearest pauses of the log. Absences of
    more than two weeks follow the clock.

``partly-open``
    Breaks of more than four hours end at their recorded time, or as soon as what the user waited for is over. Shorter
    pauses are kept. So sessions begin as in an open loop, and in each of them the user waits for results.

Under all of them a pause that begins as in the log, after the same response, is as long as in the log.

Source: ``partly-open`` is the partly open system of B. Schroeder, A. Wierman and M. Harchol-Balter, Open versus closed:
a cautionary tale (NSDI 2006), with the sessions of a log; the other rules are ours. That think times depend on response
times was shown by E. Shmueli and D. Feitelson, Uncovering the effect of system performance on user behavior from traces
of parallel systems (MASCOTS 2007), and S. Schlagkamp et al., Consecutive job submission behavior at Mira supercomputer
(HPDC 2016).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from thinktime.users.local_hours import LogHours
from thinktime.users.nearest import NearPauses
from thinktime.workloads.arrays import Floats
from thinktime.workloads.names import key_of, quoted
from thinktime.workloads.trace import Trace
from thinktime.workloads.units import DAY, HOUR, WEEK
from thinktime.workloads.user_models import Dependencies, Sessions
from thinktime.workloads.user_models.rhythm import LocalClock, local_seconds

BREAK = 4 * HOUR
"""A longer pause is a break, s."""
ABSENCE = 2 * WEEK
"""A longer break is an absence, s."""
NEIGHBOURS = 50
"""The number of pauses that make a distribution."""


class Pause(NamedTuple):
    """A user's pause in a replay with feedback: all that a batch waited for is over. All times are in s."""

    batch: int
    """The batch that comes next."""
    owner: int
    """Whose it is (`Groups.owner`)."""
    end: float
    """When the last of the batches that it waited for ended."""
    response: float
    """The response time of that batch, from its first submission."""
    think_time: float
    """What is left to think if each of the recorded think times is kept."""
    recorded_end: float
    recorded_response: float
    recorded_think_time: float
    """The same in the log."""


ThinkTime = Callable[[Pause], float]
"""How long a user thinks in a pause, s."""


class Pauses:
    """The recorded pauses of a log: for each batch, the one before it; NaN where it waited for nothing."""

    def __init__(self, sessions: Sessions, graph: Dependencies) -> None:
        batches = sessions.batches
        n = len(batches)
        order = np.lexsort((batches.end[graph.before], graph.after))
        last_of = np.full(n, -1)
        last_of[graph.after[order]] = graph.before[order]  # the last one counts
        waits = last_of >= 0
        self.owner = batches.owner
        self.begin: Floats = np.where(waits, batches.end[last_of], np.nan)
        self.response: Floats = np.where(waits, batches.response[last_of], np.nan)
        self.length: Floats = batches.submit - self.begin

    def now(self, batch: int, end: float, response: float, think_time: float) -> Pause:
        """The pause before a batch, beside the recorded one."""
        recorded = self.begin.item(batch), self.response.item(batch), self.length.item(batch)
        return Pause(batch, self.owner.item(batch), end, response, think_time, *recorded)


class ClockThinking:
    """The rule ``clock``: breaks end at the recorded time of day."""

    def __init__(self, trace: Trace, sessions: Sessions, pauses: Pauses) -> None:
        self._clock = LocalClock.of_log(trace)
        self._hours = LogHours(trace, sessions)
        self._morning = quietest_hour(local_seconds(trace, sessions.batches.submit)) * HOUR

    def __call__(self, pause: Pause) -> float:
        """The think time, s."""
        if pause.recorded_think_time <= BREAK:
            return pause.think_time
        if pause.end == pause.recorded_end:
            return pause.recorded_think_time
        return self.end_of_break(pause) - pause.end

    def end_of_break(self, pause: Pause) -> float:
        """When a break ends, s."""
        days = self._hours.of(pause.owner).hours.days
        began, time_of_day = self._day(pause.recorded_end)
        ended, time_of_day = self._day(pause.recorded_end + pause.recorded_think_time)
        passed = working_days(began, ended, days)
        day, now = self._day(pause.end)
        if ended % 7 not in days:
            days, passed = tuple({*days, ended % 7}), passed + 1
        if passed == 0 and time_of_day < now:
            passed = 1
        day = after_working_days(day, passed, days)
        return self._clock.time(day * DAY + time_of_day + self._morning, pause.end)

    def _day(self, time: float) -> tuple[int, float]:
        """The number of the day and the time since it began, s."""
        day, since = divmod(self._clock.wall(time) - self._morning, DAY)
        return int(day), since


def partly_open(trace: Trace, sessions: Sessions, pauses: Pauses) -> ThinkTime:
    """The rule ``partly-open``: breaks end at their recorded times."""
    return _until_the_recorded_time


def _until_the_recorded_time(pause: Pause) -> float:
    if pause.recorded_think_time <= BREAK:
        return pause.think_time
    return max(0.0, pause.recorded_end + pause.recorded_think_time - pause.end)


class ReactingThinking:
    """The rule ``reacting``: pauses keep their ranks, given the response and the hour."""

    def __init__(self, trace: Trace, sessions: Sessions, pauses: Pauses) -> None:
        self._clock = LocalClock.of_log(trace)
        self._absences = ClockThinking(trace, sessions, pauses)
        known = np.flatnonzero(pauses.length <= ABSENCE)
        self._lengths = pauses.length[known]
        if not len(known):
            return
        wall, response = local_seconds(trace, pauses.begin[known]), pauses.response[known]
        self._near = NearPauses(wall, response, NEIGHBOURS)
        self._rank = np.zeros(len(pauses.length), np.int64)
        own = zip(wall.tolist(), response.tolist(), self._lengths.tolist(), strict=True)
        self._rank[known] = [(self._lengths[self._near.of(*begun)] < length).sum() for *begun, length in own]

    def __call__(self, pause: Pause) -> float:
        """The think time, s."""
        if pause.recorded_think_time > ABSENCE:
            return self._absences(pause)
        if (pause.end, pause.response) == (pause.recorded_end, pause.recorded_response):
            return pause.recorded_think_time
        near = self._lengths[self._near.of(self._clock.wall(pause.end), pause.response)]
        near.sort()
        return near.item(min(self._rank.item(pause.batch), len(near) - 1))


Rule = Callable[[Trace, Sessions, Pauses], ThinkTime]
"""Makes a think-time function for a log."""
RULES: dict[str, Rule] = {"clock": ClockThinking, "reacting": ReactingThinking, "partly-open": partly_open}
"""The rules by name."""


def rule_of(given: ThinkTime | str) -> Rule | None:
    """What makes a think-time function: for a name that of `RULES`, for a function itself."""
    if given == "recorded":
        return None
    if isinstance(given, str):
        if given not in RULES:
            raise ValueError(
                f"there is no rule {quoted(given)} for think times; {key_of(given, ['recorded', *RULES], 'rules')}"
            )
        return RULES[given]
    if not callable(given):
        raise TypeError(
            f"think is 'recorded', {', '.join(map(repr, RULES))} or a function of a Pause, not {quoted(given)}"
        )
    return lambda trace, sessions, pauses: given


def quietest_hour(wall: Floats) -> int:
    """The hour of the day around which the fewest of these local times (s) are, in three hours together.

    Of several such hours it is the nearest one to four in the morning.
    """
    count = np.bincount((wall // HOUR).astype(np.int64) % 24, minlength=24)
    around = count + np.roll(count, 1) + np.roll(count, -1)
    return min(range(24), key=lambda hour: (around[hour], min((hour - 4) % 24, (4 - hour) % 24)))


def working_days(first: int, last: int, days: tuple[int, ...]) -> int:
    """The number of working days after the first day, up to the last one."""
    weeks, rest = divmod(last - first, 7)
    return weeks * len(days) + sum((first + 1 + each) % 7 in days for each in range(rest))


def after_working_days(day: int, count: int, days: tuple[int, ...]) -> int:
    """The day on which the last of so many working days after a day is."""
    weeks, rest = divmod(max(0, count - 1), len(days))
    day += 7 * weeks
    for _ in range(rest + (count > 0)):
        day += 1
        while day % 7 not in days:
            day += 1
    return day
