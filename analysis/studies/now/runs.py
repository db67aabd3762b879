"""One world of the study: persons whose jobs and pauses are known, forecast again and again from their log alone.

The worlds are those of the study of predictions (`thinktime.analysis.studies.prediction.world`), 64 processors under
EASY. From the third week on, the state of the machine is taken every `APART` hours, and each state is forecast from the
log until then. What really happened is known, and so are the scores.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import simpy
from numpy.typing import NDArray

import thinktime as tt
from thinktime.analysis.now.kept import Kept
from thinktime.analysis.now.score import OURS, Score, score
from thinktime.analysis.studies.prediction.world import PROCESSORS, World

Floats = NDArray[np.float64]

PAST = 2 * tt.WEEK
"""Of each world, this is history for the first forecast."""
APART = 17 * tt.HOUR
"""From one forecast to the next; all hours of the day have some."""
UNTIL = 8 * tt.HOUR
"""How far forecasts go."""
METHODS = OURS, "by limits", "past waits", "mean past wait"


class Answer(NamedTuple):
    """What one world gives: a number for each job that was forecast."""

    forecasts: int
    which: Floats
    """The number of the forecast."""
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

    def perform(self) -> Answer:
        """Simulate it, forecast it, and score."""
        times = [PAST + k * APART for k in range(1, self.snapshots + 1)]
        end = times[-1] + 2 * tt.DAY
        states: list[tt.MachineState] = []

        def look(env: simpy.Environment, machine: tt.Machine) -> Any:
            for time in times:
                yield env.timeout(time - env.now)
                states.append(machine.state())

        world = World(self.family, self.number, self.users, self.seed)
        spec = tt.MachineSpec(PROCESSORS, "easy")
        log = recorded(tt.run(spec, *world.sources(end=end), look, until=end))
        forecasts = [
            tt.forecast(state, log, draws=self.draws, seed=(self.seed, place), until=UNTIL)
            for place, state in enumerate(states)
        ]
        series = [Kept.of(each) for each in forecasts if len(each.waiting)]
        return answer(score(series, log), [each.time for each in series]) if series else nothing()


def answer(found: Score, times: list[float]) -> Answer:
    """The answer of a score; forecasts are numbered by their times."""
    crps = np.array([found.methods[name].crps for name in METHODS])
    error = np.array([found.methods[name].error for name in METHODS])
    covered = np.array([flags.astype(np.float64) for flags in found.covered.values()])
    which = np.searchsorted(np.array(times), found.time).astype(np.float64)
    return Answer(len(times), which, found.pit, covered, crps, error)


def nothing() -> Answer:
    """That of a world in which no job waited."""
    none = np.empty(0)
    return Answer(0, none, none, np.empty((3, 0)), np.empty((len(METHODS), 0)), np.empty((len(METHODS), 0)))


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
