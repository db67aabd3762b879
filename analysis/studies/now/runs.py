"""One world of the study: persons whose jobs and pauses are known, forecast again and again from their log alone.

Persons submit campaigns to 64 processors under EASY, and wait for all of it before they think. Each person's median run
time is log-uniform from 5 min to 1 h, run times are log-uniform up to a factor of 8 around it, limits longer by an
exponential factor, processors 1 to 16, jobs in a campaign geometric, think times lognormal. All this is ours.

============  ==========================================================================================
campaign      thinks for a time that depends on nothing
linear        thinks longer after long response times (`LinearThinking`)
session       goes on if the response was short, else comes back the next morning (`Continuation`)
rhythm        thinks faster at busy hours (`Rhythm`)
============  ==========================================================================================

From the third week on, the state of the machine is taken every `APART` seconds, and each state is forecast from the log
until then. What really happened is known, and so are the scores.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray
from scipy import stats

import thinktime as tt
from thinktime.analysis.now import ARRIVALS, OURS, Kept, Regression, Score, score

Floats = NDArray[np.float64]

PROCESSORS = 64
REACTIONS: dict[str, Any] = {
    "campaign": (),
    "linear": (tt.behaviours.LinearThinking(spread=stats.expon()),),
    "session": (tt.behaviours.Continuation(hours=tt.WorkingHours(8, 18)),),
    "rhythm": (tt.behaviours.Rhythm(),),
}
PAST = 2 * tt.WEEK
"""Of each world, this is history for the first forecast."""
APART = 17 * tt.HOUR
"""From one forecast to the next; all hours of the day have some."""
UNTIL = 8 * tt.HOUR
"""How far forecasts go."""
METHODS = OURS, "by limits", "past waits", "mean past wait"
REGRESSION = "quantile regression"
"""One more method, if it is asked for."""
KNOWN = "rule alone"
"""Of logs, one more: everything is known but the rule."""


class Answer(NamedTuple):
    """What one world, or some moments of a log, give: a number for each job that was forecast."""

    methods: tuple[str, ...]
    rule: str
    """That of the machine."""
    moments: int
    """How many were looked at; at some, no job waited."""
    forecasts: int
    which: Floats
    """The number of the forecast."""
    ahead: Floats
    """How long after the forecast the job started, s."""
    pit: Floats
    covered: Floats
    """A row for each share: 1 where the start is in the interval."""
    crps: Floats
    """A row for each method, s."""
    error: Floats
    """A row for each method, s."""


@dataclass(frozen=True, slots=True)
class Run:
    """A world, and how often it is forecast."""

    family: str
    number: int
    users: int
    snapshots: int
    draws: int
    seed: int
    regression: bool = False
    arrivals: str = ARRIVALS[0]

    def perform(self) -> Answer:
        """Simulate it, forecast it, and score."""
        times = [PAST + k * APART for k in range(1, self.snapshots + 1)]
        end = times[-1] + 2 * tt.DAY
        states: list[tt.MachineState] = []

        def look(env: simpy.Environment, machine: tt.Machine) -> Any:
            for time in times:
                yield env.timeout(time - env.now)
                states.append(machine.state())

        seed = (self.seed, list(REACTIONS).index(self.family), self.number)
        numbers = range(1, self.users + 1)
        persons: dict[str | int, tt.Profile] = {each: person(self.family, seed, each) for each in numbers}
        spec, source = tt.MachineSpec(PROCESSORS, "easy"), tt.sources.campaigns(persons, seed)
        log = recorded(tt.run(spec, source, look, until=end))
        forecasts = [
            tt.forecast(state, log, draws=self.draws, seed=(self.seed, place), until=UNTIL, arrivals=self.arrivals)
            for place, state in enumerate(states)
        ]
        series = [Kept.of(each) for each in forecasts if len(each.waiting)]
        if not series:
            return nothing(spec.policy, len(times))
        found = score(series, log, Regression() if self.regression else None)
        return answer(found, [each.time for each in series], spec.policy, len(times))


def person(family: str, seed: tuple[int, ...], number: int) -> tt.Profile:
    """A person of a family."""
    rng = tt.stream(seed, number, "person")
    median, think = np.exp(rng.uniform(np.log([300.0, 600.0]), np.log([3600.0, 10_800.0]))).tolist()
    return tt.Profile(
        runtime=stats.loguniform(median / 8, median * 8),
        jobs=stats.geom(1.0 - rng.uniform(0.0, 0.75)),
        think_time=stats.lognorm(s=1.2, scale=think),
        processors=2 ** int(rng.integers(0, 5)),
        overestimate=stats.expon(loc=1.0),
        first=float(rng.integers(0, 2 * tt.DAY)),
        behaviours=REACTIONS[family],
    )


def answer(found: Score, times: list[float], rule: str, moments: int, known: Score | None = None) -> Answer:
    """The answer of a score; forecasts are numbered by their times. ``known`` is one if all is known but the rule."""
    methods = {name: found.methods[name] for name in (*METHODS, REGRESSION) if name in found.methods}
    if known is not None:
        methods[KNOWN] = known.methods[OURS]
    crps, error = (np.array([getattr(each, name) for each in methods.values()]) for name in ("crps", "error"))
    covered = np.array([flags.astype(np.float64) for flags in found.covered.values()])
    which = np.searchsorted(np.array(times), found.time).astype(np.float64)
    return Answer(tuple(methods), rule, moments, len(times), which, found.ahead, found.pit, covered, crps, error)


def nothing(rule: str, moments: int) -> Answer:
    """That of a world in which no job waited."""
    none = np.empty(0)
    return Answer((), rule, moments, 0, none, none, none, np.empty((3, 0)), np.empty((0, 0)), np.empty((0, 0)))


def recorded(result: tt.Result) -> tt.Trace:
    """What a site records of a result: the jobs that have started, with their waits and how long they ran."""
    rows = np.flatnonzero(np.isfinite(result["start"]))
    submit, start = result["submit"][rows], result["start"][rows]
    user = np.array([int(label) for label in result.names["user"]])[result["user"][rows]]
    limit = result["estimate"][rows]
    return tt.Trace(
        {
            "id": result["id"][rows], "submit": submit, "wait": start - submit, "user": user, "requested_time": limit,
            "runtime": np.minimum(result["runtime"][rows], limit), "allocated": result["processors"][rows],
        }
    )  # fmt: skip
