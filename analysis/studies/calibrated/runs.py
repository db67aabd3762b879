"""One world: its truth in every case, its log, the users fitted to that, and what they are predicted to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.prediction.cases import MACHINES, POLICIES, SAME, Case
from thinktime.analysis.studies.prediction.predictors import FEEDBACK, OPEN, REACTING, Log, recorded
from thinktime.analysis.studies.prediction.runs import TRUTH
from thinktime.analysis.studies.prediction.scores import Scores, scores
from thinktime.analysis.studies.prediction.world import World
from thinktime.users.calibrated import LUCK

CALIBRATED = "calibrated"
MODES = (OPEN, FEEDBACK, REACTING, CALIBRATED)
"""The modes that are compared."""
CASES = POLICIES | MACHINES | {"half the machine": Case(machine=0.5), "OStrich": Case("ostrich")}
"""No change, and twelve changes."""
QUICK = (SAME, "FCFS", "+20 % processors")
DRAWN = (SAME, "FCFS", "SJF-EASY", "conservative", "-20 % processors", "+20 % processors")
"""The cases for which intervals are asked."""
DRAWS = 20
KINDS = ("look at nothing", "may look", "wait for all", "at equal intervals")
"""What fitted users do; who waits for all results may look, too."""


class Answer(NamedTuple):
    """What one world says. Numbers are those named `NAMES` in `thinktime.analysis.studies.prediction.scores`."""

    jobs: int
    found: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By case and mode, the truth among these."""
    draws: Mapping[str, tuple[float, ...]]
    """By case, the mean wait (s) by each draw: the log's own times what the draw has over what it has without a change.

    Hazards are drawn as they may be as well, and half of the draws have the luck of the log.
    """
    classes: Mapping[str, int]
    """How many users are of each of `KINDS`."""
    lacks: tuple[str, ...] = ()
    """What the log shows of its users that the model does not explain (`thinktime.workloads.calibration.beyond`)."""


@dataclass(frozen=True, slots=True)
class Run:
    """A world, and what is asked of it."""

    world: World
    cases: tuple[str, ...]
    draws: int = DRAWS

    def perform(self) -> Answer:
        """Simulate it, fit users to its log, and predict it."""
        truths = {name: self.world.truth(CASES[name].spec) for name in self.cases}
        trace = recorded(truths[SAME])
        users, log = tt.calibrate(trace, score=False), Log(trace, self.world.seeds)
        found: dict[str, dict[str, tuple[float, ...]]] = {}
        for name, truth in truths.items():
            spec = CASES[name].spec
            found[name] = {TRUTH: scores(truth).values}
            for mode in MODES[:-1]:
                found[name][mode] = scores(log.replayed(mode, spec)).values
            found[name][CALIBRATED] = scores(tt.run(spec, tt.sources.calibrated(trace, users))).values
        drawn = [name for name in DRAWN if name in self.cases]
        waits = self._drawn(trace, users, drawn, found[SAME][TRUTH][0])
        return Answer(len(trace), found, waits, classes_of(users), users.lacks)

    def _drawn(
        self, trace: tt.Trace, users: tt.Users, cases: Sequence[str], unchanged: float
    ) -> dict[str, tuple[float, ...]]:
        """By case, the mean wait (s) by each draw; the same draws in all cases."""
        found = []
        for draw in range(self.draws):
            own = (*self.world.seeds, draw)
            source = tt.sources.calibrated(trace, users, LUCK[draw % len(LUCK)], own, posterior=own)
            waits = {case: _wait(scores(tt.run(CASES[case].spec, source))) for case in cases}
            found.append([waits[case] * (unchanged / waits[SAME]) for case in cases])
        return dict(zip(cases, zip(*found, strict=True), strict=True))


def classes_of(users: tt.Users) -> dict[str, int]:
    """How many users are of each kind."""
    reacts = users.reacts
    each = (~reacts & ~users.clockwork, reacts, reacts & users.waits[:, 0], users.clockwork)
    return dict(zip(KINDS, (int(of.sum()) for of in each), strict=True))


def _wait(of: Scores) -> float:
    return float(of.wait) if np.isfinite(of.wait) else float("nan")
