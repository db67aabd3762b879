"""One run of the study of shapes: a log, of whose jobs a share is malleable, under one way to choose sizes.

In the *open* loop jobs come when they did; *users* wait for the jobs that they waited for in the log, and then go on;
*calibrated* users are those that are fitted to the log as it is, once for all runs. Work is that of the log: run time ×
processors of its jobs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import thinktime as tt

MODES = ("open", "users")
FITTED = "calibrated"
AROUND = "expand=oldest,shrink=latest,base=easy"
STRATEGIES = {
    "preferred": f"shapes:{AROUND}",
    "min": f"shapes:size=min,{AROUND}",
    "average": f"shapes:size=average,{AROUND}",
    "keep preferred": f"shapes:to=preferred,{AROUND}",
    "common pool": "shapes:share=pool",
    "equal shares": "shapes:share=equal",
}
"""How sizes are chosen, all with growing on idle processors; those in shares admit jobs in the order of the queue."""
USERS = "users choose"
CHOICES = {
    USERS: "easy",
    "earliest": "shapes:size=earliest,base=easy",
    "largest": "shapes:size=largest,base=easy",
    "average": "shapes:size=average,base=easy",
    "min": "shapes:size=min,base=easy",
}
"""Who chooses the sizes of moldable jobs: their users, by predicted ends, or the scheduler in one of these ways."""
FACTORS = (0.25, 0.5, 1, 2, 4)
RIGID = "rigid"
USUAL = "amdahl(0.01)"
LEAST, MOST, STEPS = 0.25, 4.0, "doubling"
"""The sizes of a malleable job: its own one, halved and doubled up to twice."""


class Answer(NamedTuple):
    """What one run gives; times in s, means over the jobs that ran."""

    wait: float
    response: float
    makespan: float
    utilization: float
    """Up to the last submission of the log."""
    work: float
    """Processor-hours, as the log has them, of jobs that finished by then."""
    chosen: tuple[float, ...]
    """For each share: mean response time of its malleable jobs."""
    others: tuple[float, ...]
    """And of the others; NaN if there are none."""
    efficiency: float
    """Of malleable jobs; NaN if none are."""
    resizes: float
    """For each malleable job."""


@dataclass(frozen=True)
class Run:
    """A log, a share of malleable jobs, and a strategy, in one of the modes."""

    log: tt.Trace
    processors: int
    shares: tuple[float, ...]
    strategy: str = RIGID
    share: float = 0.0
    mode: str = MODES[0]
    how: Mapping[str, Any] | None = None
    """Other fields of `tt.Shaping`, such as a speed-up."""
    seed: int = 1
    choice: str = ""
    """Who chooses the sizes of moldable jobs, one of `CHOICES`; nobody, if it is empty."""

    def perform(self, users: tt.Users | None = None) -> Answer:
        """Run it and measure; ``users`` are those that are fitted to the log, for the mode calibrated."""
        log = self.log
        if self.share:
            log = self.shaping(self.share).of(log, self.processors)
        if self.choice:
            return self.measured(self._chosen(log))
        sources: dict[str, Any] = {"open": tt.sources.log, "users": tt.sources.feedback}
        source = tt.sources.calibrated(log, users) if self.mode == FITTED else sources[self.mode](log)
        policy = STRATEGIES.get(self.strategy, "easy")
        return self.measured(tt.run(tt.MachineSpec(self.processors, policy), source))

    def _chosen(self, log: tt.Trace) -> tt.Result:
        source: Any = tt.sources.log(log)
        if self.choice == USERS:
            mold = tt.behaviours.Mold(factors=FACTORS, speedup=USUAL)
            source = tt.sources.log(self.log).with_responses(tt.Respondents((mold,), 1.0, self.seed))
        return tt.run(tt.MachineSpec(self.processors, CHOICES[self.choice]), source)

    def shaping(self, share: float) -> tt.Shaping:
        """What is assumed of so many of the jobs."""
        usual: dict[str, Any] = {"least": LEAST, "most": MOST, "steps": STEPS, "speedup": USUAL, "seed": self.seed}
        return tt.Shaping(share=share, **usual | dict(self.how or {}))

    def measured(self, result: tt.Result) -> Answer:
        """The answer of a result."""
        last = float(self.log.submit[-1])
        ran = np.isfinite(result["start"]) & np.isfinite(result["end"])
        response = np.where(ran, result["end"] - result["submit"], np.nan)
        work = result["processors"] * result["runtime"] / tt.HOUR
        done = (result["state"] == tt.State.FINISHED) & (result["end"] <= last)
        summary = result.summary()
        malleable = [np.isin(result["id"], self.log.id[self.shaping(share).chosen(self.log)]) for share in self.shares]
        return Answer(
            wait=summary["mean_wait"],
            response=summary["mean_response_time"],
            makespan=summary["makespan"],
            utilization=result.during(float(self.log.submit[0]), last).utilization(),
            work=float(work[done].sum()),
            chosen=tuple(_mean(response[each]) for each in malleable),
            others=tuple(_mean(response[~each]) for each in malleable),
            efficiency=summary.get("total_efficiency", np.nan),
            resizes=summary.get("mean_resizes", 0.0),
        )


@dataclass(frozen=True)
class Calibrated:
    """All runs of a log with users who are fitted to it: the fit takes much longer than they do, and is made once."""

    runs: tuple[Run, ...]

    def perform(self) -> tuple[Answer, ...]:
        """Fit, then run each and measure."""
        users = tt.calibrate(self.runs[0].log, score=False)
        return tuple(run.perform(users) for run in self.runs)


def _mean(values: NDArray[np.float64]) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else np.nan
