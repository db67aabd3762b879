"""Users of a log who submit given jobs at times that nobody knows yet, each as a mode of replay would have it.

A *batch* is what a user submits without a pause of more than a minute. Between two batches each user draws a *pause*,
with equal probability, from those that the first half of the log has of the same user. Who has none there pauses as
some other user, who is drawn. Modes read the same pause in their own ways:

===========  ===========================================================================================
open         the next batch comes as long after the last submission as recorded
feedback     it comes as long after the end of all of the user's jobs as recorded; where it came before
             that end (it *overlapped*), as in open
clock        the same, but breaks end at the recorded time of day (`thinktime.users.think_times`)
reacting     the same, but a pause keeps its rank among those after such a response at such an hour
partly-open  the same, but breaks end as in open, or when all jobs are over
===========  ===========================================================================================
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.studies.prediction.predictors import CLOCK, FEEDBACK, OPEN, PARTLY_OPEN, REACTING
from thinktime.users.think_times import BREAK, RULES, Pause, Pauses, ThinkTime
from thinktime.workloads.user_models import Groups, delimit, dependencies

TOGETHER = tt.MINUTE
"""A longer pause ends a batch, s."""
BY_PAUSES = (OPEN, FEEDBACK, CLOCK, REACTING, PARTLY_OPEN)
Rule = Callable[[Pause, float, float], float]
"""When the next batch comes (s): by a pause, its time since the last submission, and when that was (s)."""


class Recorded(NamedTuple):
    """A pause of the log. Times are in s."""

    batch: int
    """The number of the batch that the user submits next."""
    owner: int
    gap: float
    """Since the last submission."""
    end: float
    """When all jobs of the user were over; NaN if the batch came before."""
    think_time: float
    """The time since these ends, s."""
    response: float
    """Of the batch that ended last."""


def batches_of(trace: tt.Trace) -> Groups:
    """The batches of a log, by its submissions alone."""
    return delimit(trace, "arrival", TOGETHER).sessions


def recorded_pauses(trace: tt.Trace) -> dict[int, list[Recorded]]:
    """The pauses of a log, by user."""
    batches = delimit(trace, "arrival", TOGETHER).batches
    found: dict[int, list[Recorded]] = {}
    before = batches.before()
    over, response = -np.inf, np.nan
    for batch, last in enumerate(before.tolist()):
        if last < 0:
            over = -np.inf
        else:
            if batches.end[last] >= over:
                over, response = batches.end.item(last), batches.response.item(last)
            came = batches.submit.item(batch)
            waited = came >= over
            gap = came - batches.last_submit.item(last)
            one = Recorded(batch, batches.owner.item(batch), gap, over if waited else np.nan, came - over, response)
            found.setdefault(batches.user.item(batch), []).append(one)
    return found


def rule_of(mode: str, trace: tt.Trace) -> Rule:
    """How a mode reads a pause of a log in which users wait for all of their jobs."""
    if mode not in (CLOCK, REACTING):
        return _until_the_same_gap if mode == PARTLY_OPEN else _as_long
    sessions = delimit(trace, "arrival", TOGETHER)
    think: ThinkTime = RULES[mode](trace, sessions, Pauses(sessions, dependencies(sessions.batches)))

    def thinking(pause: Pause, gap: float, last: float) -> float:
        return pause.end + think(pause)

    return thinking


def _as_long(pause: Pause, gap: float, last: float) -> float:
    return pause.end + pause.recorded_think_time


def _until_the_same_gap(pause: Pause, gap: float, last: float) -> float:
    """A break ends so long after the last submission as recorded."""
    return last + gap if pause.recorded_think_time > BREAK else pause.end + pause.recorded_think_time


class _Seen:
    """What a user has seen: when the last job was over, and the response time of its batch (s)."""

    def __init__(self, env: simpy.Environment) -> None:
        self._env = env
        self.end = self.response = 0.0

    def ended(self, begun: float, event: simpy.Event) -> None:
        """Jobs of a batch that began at a time are over."""
        self.end = float(self._env.now)
        self.response = self.end - begun


@dataclass(frozen=True, slots=True)
class PausingUsers:
    """The users of a log, as a source: its jobs come in its batches, the first of each user at its recorded time.

    Of the other times of the log, and of its waits, nothing is used.
    """

    trace: tt.Trace
    pauses: Mapping[int, list[Recorded]]
    """Of an earlier log, by user."""
    mode: str
    rule: Rule
    seed: tuple[int, ...]

    def __call__(self, env: simpy.Environment, machine: tt.Machine) -> list[Any]:
        """A process for each user."""
        batches = batches_of(self.trace)
        owners = np.split(np.arange(len(batches)), np.flatnonzero(np.diff(batches.owner)) + 1)
        return [self._at_work(env, machine, batches, own) for own in owners if len(own)]

    def _at_work(
        self, env: simpy.Environment, machine: tt.Machine, batches: Groups, own: NDArray[np.int64]
    ) -> Generator[simpy.Event, Any, None]:
        user, trace = batches.user.item(own[0]), self.trace
        pauses = self._drawn(user, batches.owner.item(own[0]))
        at, seen = batches.submit.item(own[0]), _Seen(env)
        out: list[simpy.Event] = []
        for batch in own.tolist():
            yield env.timeout(max(0.0, float(np.ceil(at)) - env.now))
            begun, first = env.now, batches.submit.item(batch)
            jobs = batches.order[batches.bounds[batch] : batches.bounds[batch + 1]]
            for group in np.split(jobs, np.flatnonzero(np.diff(trace.submit[jobs])) + 1):
                yield env.timeout(max(0.0, begun + trace.submit.item(group[0]) - first - env.now))
                rows = machine.load_jobs(
                    user, len(group), runtime=trace.runtime[group], estimate=trace.estimate[group],
                    processors=trace.processors[group],
                )  # fmt: skip
                over = machine.watch(rows)
                assert over.callbacks is not None
                over.callbacks.append(partial(seen.ended, begun))
                out.append(over)
                machine.submit_rows(rows)
            if batch == own[-1]:
                return
            last, one = env.now, next(pauses)
            at = last + one.gap
            if self.mode != OPEN and one.end == one.end:
                yield simpy.AllOf(env, out)
                out.clear()
                recorded = one.end, one.response, one.think_time
                pause = Pause(one.batch, one.owner, seen.end, seen.response, one.think_time, *recorded)
                at = max(seen.end, self.rule(pause, one.gap, last))

    def _drawn(self, user: int, owner: int) -> Iterator[Recorded]:
        """Pauses without end."""
        rng = tt.stream(self.seed, str(user) if user >= 0 else f"nobody's {owner}", "pauses")
        own = self.pauses.get(user)
        if own is None:
            known = sorted(each for each in self.pauses if each >= 0) or list(self.pauses)
            own = self.pauses[known[int(rng.integers(len(known)))]]
        while True:
            yield own[int(rng.integers(len(own)))]
