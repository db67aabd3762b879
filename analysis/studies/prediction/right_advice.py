"""Whether the advice which mode to trust is right: what a world's log says, held against the mode that was best there.

The rules (`thinktime.analysis.diagnosis.trust`) were fixed on worlds with even numbers; those with odd numbers check
them. In each, the advice is

* *right* if the typical factor by which the mode that it names first misses the mean wait, over the changes `CHANGED`,
  is at most `NEAR` times that of the mode that is best in this world;
* *wrong* if it is larger;
* *unsaid* if the rules say that it cannot be said.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.analysis.diagnosis.signs import signs_of
from thinktime.analysis.diagnosis.trust import Signs, advise
from thinktime.analysis.studies.prediction.cases import QUICK, changes
from thinktime.analysis.studies.prediction.errors import factor, log_error
from thinktime.analysis.studies.prediction.predictors import CORRECTED, GENERATIVE, REPLAYS, recorded
from thinktime.analysis.studies.prediction.runs import Answer
from thinktime.analysis.studies.prediction.world import World
from thinktime.models.machine_spec import MachineSpec

CHANGED = changes(QUICK)
NEAR = 1.2
"""How many times as large the typical factor of the mode named first may be as the best one."""
ALWAYS = (*REPLAYS, CORRECTED)
"""The modes of which one is the best; each is held against the rules, as if it were always named first."""
UNSAID = "none"


@dataclass(frozen=True, slots=True)
class Run:
    """A world whose log is asked."""

    world: World
    spec: MachineSpec

    def perform(self) -> Signs:
        """What its log says."""
        return signs_of(recorded(self.world.truth(self.spec)), self.spec)


def first_named(signs: Signs) -> str:
    """The mode that the rules name first; `UNSAID` if they name none."""
    found = advise(signs)
    first = found.modes[0] if found.modes else UNSAID
    return CORRECTED if first == GENERATIVE and found.calibrated else first


def summary(worlds: Mapping[tuple[str, float, int], Answer], asked: Mapping[tuple[str, float, int], Signs]) -> Any:
    """By family, how often the advice is right in worlds with odd numbers, and by what factors waits are missed."""
    found: dict[str, Any] = {}
    for family in dict.fromkeys(kind for kind, _, _ in worlds):
        keys = [key for key in worlds if key in asked and key[0] == family and key[2] % 2]
        if keys:
            found[family] = _of_family([worlds[key] for key in keys], [first_named(asked[key]) for key in keys])
    return found


def _of_family(answers: Sequence[Answer], named: Sequence[str]) -> dict[str, Any]:
    errors = [{mode: _error(each, mode) for mode in ALWAYS} for each in answers]
    best = [min(of.values()) for of in errors]
    said = [(of[mode], least) for of, mode, least in zip(errors, named, best, strict=True) if mode != UNSAID]
    right = sum(_near(one, least) for one, least in said)
    return {
        "worlds": len(answers),
        "right": right,
        "wrong": len(said) - right,
        "unsaid": len(answers) - len(said),
        "named": dict(Counter(named).most_common()),
        "factor": factor(one for one, _ in said).factor,
        "best_factor": factor(best).factor,
        "always": {
            mode: {
                "right": sum(_near(of[mode], least) for of, least in zip(errors, best, strict=True)),
                "factor": factor(of[mode] for of in errors).factor,
            }
            for mode in ALWAYS
        },
    }


def _error(answer: Answer, mode: str) -> float:
    """The logarithm of the typical factor of a mode in one world."""
    found = [abs(log_error(answer, case, mode)) for case in CHANGED if case in answer.found]
    known = [each for each in found if np.isfinite(each)]
    return float(np.mean(known)) if known else np.inf


def _near(error: float, least: float) -> bool:
    return bool(error <= least + np.log(NEAR))
