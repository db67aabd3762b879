"""Whether the advice which mode to trust is right: what a world's log says, held against the mode that is best there.

The rules (`thinktime.analysis.diagnosis.trust`) were fixed on worlds with even numbers; those with odd numbers check
them. In each, the advice is

* *right* if the typical factor by which the mode that it names first misses the mean wait in the world's family, over
  all changes and worlds of the study, is at most `NEAR` times that of the mode that is best in this family;
* *wrong* if it is larger;
* *unsaid* if the rules say that it cannot be said.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.diagnosis import Signs, advise, signs_of
from thinktime.analysis.studies.prediction.predictors import CORRECTED, GENERATIVE, REPLAYS, recorded
from thinktime.analysis.studies.prediction.world import World

NEAR = 1.2
"""How many times as large the typical factor of the mode named first may be as the best one."""
ALWAYS = (*REPLAYS, CORRECTED)
"""The modes of which one is the best; each is held against the rules, as if it were always named first.

The rules do not know calibrated users, which were run in fewer worlds.
"""
UNSAID = "none"


@dataclass(frozen=True, slots=True)
class Run:
    """A world whose log is asked."""

    world: World
    spec: tt.MachineSpec

    def perform(self) -> Signs:
        """What its log says."""
        return signs_of(recorded(self.world.truth(self.spec)), self.spec)


def first_named(signs: Signs) -> str:
    """The mode that the rules name first; `UNSAID` if they name none."""
    found = advise(signs)
    first = found.modes[0] if found.modes else UNSAID
    return CORRECTED if first == GENERATIVE and found.corrected else first


def summary(
    families: Mapping[str, Mapping[str, Mapping[str, Any]]], asked: Mapping[tuple[str, float, int], Signs]
) -> dict[str, Any]:
    """By family, how often the advice is right in worlds with odd numbers, and the typical factors behind it.

    ``families`` has the typical factor of each mode in each family.
    """
    found = {}
    for family, modes in families.items():
        named = [first_named(signs) for (kind, _, number), signs in asked.items() if kind == family and number % 2]
        if named:
            found[family] = _of_family({mode: modes[mode]["typical_factor"] for mode in ALWAYS}, named)
    return found


def _of_family(factors: Mapping[str, float], named: Sequence[str]) -> dict[str, Any]:
    best = min(factors.values())
    right = {mode for mode in ALWAYS if factors[mode] <= NEAR * best}
    said = [mode for mode in named if mode != UNSAID]
    return {
        "worlds": len(named),
        "right": sum(mode in right for mode in said),
        "wrong": sum(mode not in right for mode in said),
        "unsaid": len(named) - len(said),
        "named": dict(Counter(named).most_common()),
        "factor": float(np.exp(np.mean([np.log(factors[mode]) for mode in said]))) if said else np.nan,
        "best_factor": best,
        "always": {mode: {"right": len(named) if mode in right else 0} for mode in ALWAYS},
    }
