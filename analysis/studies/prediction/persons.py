"""The persons of a simulated world: what each of them submits, and how each reacts.

A person is drawn from a stream of its own, so it is the same under every policy, on every machine and at every load.
Times are whole seconds, as a site records them: run times are multiples of 8 s, so that estimates of so many eighths of
a run time are whole seconds too. All distributions are ours.

============  ====================================================================================================
campaign      submits a campaign, waits for all of it, thinks, and submits the next
linear        thinks for 0.48 times the response time and half an hour, times an exponential number (`LinearThinking`)
session       goes on with probability 0.8 / (0.05 r + 1), r in minutes, else the next morning (`Continuation`)
patience      withdraws jobs after about two hours, and submits none while more than 25 wait (`Patience`, `Balk`)
hours         submits from 8 to 18 on weekdays, else within an hour of the next morning (`Mornings`)
rhythm        thinks faster at busy hours (`Rhythm`)
pipeline      submits the next campaign before the last one has ended (`Pipelining`)
deadline      submits at times that depend on nothing
mix           is one of the first five
clock S       keeps the hours with probability S at each think time
half waiting  is one of campaign, by odd numbers, or one of deadline, by even ones
cron          submits series of jobs at equal intervals, each of which is done a few minutes before the next
============  ====================================================================================================
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import thinktime as tt
from thinktime.users.behaviours import Balk, Behaviour, Continuation, LinearThinking, Mornings, Patience, Rhythm
from thinktime.workloads.generators import OneOf, Piece, Truncated

OFFICE = tt.WorkingHours(8, 18)
WIDEST = 32
MOST_JOBS = 20
"""The most jobs of a campaign."""
GRAIN = 8.0
"""Run times are multiples of this, s."""


@dataclass(frozen=True, slots=True)
class Rounded(Piece):
    """The numbers of another quantity, rounded up to multiples of `step` and at most `most`."""

    of: Any
    step: float = 1.0
    most: float = np.inf

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """So many numbers, rounded up to steps and cut at the most."""
        drawn = np.asarray(self.of.rvs(size=count, random_state=rng), dtype=np.float64)
        return np.minimum(np.ceil(drawn / self.step) * self.step, self.most)


@dataclass(frozen=True, slots=True)
class Eighths(Piece):
    """1 and an exponential number, rounded up to eighths: the factor from a run time to its estimate."""

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """So many factors, each a multiple of an eighth."""
        return 1.0 + np.ceil(rng.exponential(1.0, count) * GRAIN) / GRAIN


@dataclass(frozen=True, slots=True)
class Person:
    """What is drawn of a person before anything happens."""

    profile: tt.Profile
    """The campaigns of the person, before any behaviour is added."""
    gap: float
    """Mean time between the sessions of a person with deadlines, s."""
    kind: int
    """Which of the kinds of a mix it is."""

    def reacting(self, family: str) -> tt.Profile:
        """The profile of the person in a family of those that are made of behaviours."""
        known = REACTIONS[KINDS[self.kind] if family == "mix" else family]
        return _with(self.profile, known())


@lru_cache(1024)  # freezing SciPy's distributions takes milliseconds, and a world needs each person some thirty times
def person(seed: tuple[int, ...], number: int) -> Person:
    """The person of a number, from 1 on."""
    rng = tt.stream(seed, f"u {number}", "person")
    median, sd = _log_uniform(rng, 5 * tt.MINUTE, 2 * tt.HOUR), rng.uniform(0.8, 1.6)
    width = int(rng.integers(0, 5))
    more = rng.uniform(0.0, 0.75)
    think = _log_uniform(rng, 10 * tt.MINUTE, 3 * tt.HOUR)
    first = float(np.ceil(rng.uniform(0.0, 2 * tt.DAY)))
    runtime = Truncated(stats.lognorm(s=sd, scale=median), 10.0, tt.DAY)
    profile = tt.Profile(
        runtime=Rounded(runtime, GRAIN, tt.DAY),
        jobs=Rounded(stats.geom(1.0 - more), most=MOST_JOBS),
        think_time=Rounded(stats.lognorm(s=1.2, scale=think)),
        processors=OneOf(tuple(float(np.clip(2.0 ** (width + step), 1, WIDEST)) for step in (-1, 0, 1))),
        overestimate=Eighths(),
        first=first,
    )
    return Person(profile, _log_uniform(rng, 24 * tt.HOUR, 96 * tt.HOUR), int(rng.integers(0, len(KINDS))))


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _with(profile: tt.Profile, behaviours: Sequence[Behaviour]) -> tt.Profile:
    return replace(profile, behaviours=tuple(behaviours)) if behaviours else profile


def _clocked(share: float) -> Callable[[], Sequence[Behaviour]]:
    return lambda: (Mornings(hours=OFFICE, share=share),)


REACTIONS: dict[str, Callable[[], Sequence[Behaviour]]] = {
    "campaign": tuple,
    "linear": lambda: (LinearThinking(spread=stats.expon()),),
    "session": lambda: (Continuation(hours=OFFICE),),
    "patience": lambda: (Patience(stats.lognorm(s=1.0, scale=2 * tt.HOUR)), Balk(queue=25)),
    "hours": _clocked(1.0),
    "rhythm": lambda: (Rhythm(),),
    "clock 1/4": _clocked(0.25),
    "clock 1/2": _clocked(0.5),
}
"""The behaviours of a family."""
KINDS = ("campaign", "linear", "session", "patience", "hours")
"""The kinds of a mix."""
