"""The effects of which a hazard may be made, and the classes of users: who looks at results and who does not.

An *effect* has a value for each of its levels; the logarithm of the hazard is the sum of a mean, the user's own level
and one value of each effect. Time is cut into *regimes*, in which the clock may say something else, and these are of
some *kinds*, in which users have other levels and what they have seen may say something else:

* users of the class `BLIND` look at no result: regimes go by the time since the submission;
* users of the class `REACTING` may look: by what is outstanding (nothing, one batch, more); while something is, by the
  time since the submission, and otherwise by the time since the last end.

How time is cut is our decision.
"""

from dataclasses import dataclass

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.calibration.penalty_matrices import chained
from thinktime.workloads.calibration.pieces import Rows
from thinktime.workloads.calibration.poisson import Factor
from thinktime.workloads.calibration.tables import (
    AGES,
    CELLS,
    POSITIONS,
    QUEUES,
    RESPONSES,
    SHARES,
    SLOWDOWNS,
    STATES,
    HazardTables,
)  # fmt: skip
from thinktime.workloads.units import HOUR

ENDS = len(AGES) + 1
SEEN = {
    "response": len(RESPONSES) + 1,
    "slowdown": len(SLOWDOWNS) + 1,
    "queue": len(QUEUES),
    "done": len(SHARES),
    "position": len(POSITIONS),
}
"""Effects of what a user has seen, with their bins: in each regime."""
OF_BLIND = ("age", "clock", "clock by regime")
OF_REACTING = ("age", "end", "age by state", "clock", "clock by regime", *SEEN)
"""The effects that the log is asked for, of either class."""
SETS = ("age", "end", "age by state"), ("clock", "clock by regime"), tuple(SEEN)
"""Effects of whose levels few combinations occur (`thinktime.workloads.calibration.sums`)."""
BORDERS = HOUR * np.array([0.25, 1.0, 4.0, 12.0])
"""Of regimes, in the time since a submission or an end, s."""
OUT_BORDERS = BORDERS[1:3]
"""The same while something is outstanding."""


@dataclass(frozen=True, eq=False)
class Structure:
    """How time is cut for a class of users."""

    name: str
    regime: Whole
    """By state, time since an end, and time since the submission."""
    kind: Whole
    """Of each regime."""
    effects: tuple[str, ...]

    @property
    def regimes(self) -> int:
        """How many there are."""
        return len(self.kind)

    @property
    def kinds(self) -> int:
        """How many kinds there are."""
        return int(self.kind.max()) + 1

    def of_rows(self, rows: Rows) -> Whole:
        """The regime of each row."""
        of = rows.factors
        found: Whole = self.regime[of["state"], of["end"], of["age"]]
        return found

    def factor(self, rows: Rows, effect: str) -> Factor:
        """The level of an effect in each row, and its penalty."""
        of, penalty = rows.factors, self.penalty(effect)
        if effect == "age":
            level = of["age"]
        elif effect == "clock":
            level = of["cell"]
        elif effect == "end":
            level = of["state"] * ENDS + of["end"]
        elif effect == "age by state":
            level = of["state"] * len(AGES) + of["age"]
        elif effect == "clock by regime":
            level = self.of_rows(rows) * CELLS + of["cell"]
        else:
            level = self.kind[self.of_rows(rows)] * SEEN[effect] + of[effect]
        return Factor(level, len(penalty), penalty)

    def penalty(self, effect: str) -> Floats:
        """The penalty of an effect's values."""
        ages = len(AGES)
        if effect == "age":
            return chained(ages)
        if effect == "clock":
            return chained(CELLS, circle=24)
        if effect == "end":
            return chained(STATES * ENDS, STATES)
        if effect == "age by state":
            return chained(STATES * ages, STATES)
        if effect == "clock by regime":
            return chained(self.regimes * CELLS, self.regimes, 24, alone=1.0)
        return chained(self.kinds * SEEN[effect], self.kinds, alone=0.3)

    def tables(self, mean: float, values: dict[str, Floats]) -> HazardTables:
        """The tables of a mean and the values of effects."""
        made = HazardTables.flat(1.0, regime=self.regime[None])
        made.base[:] = mean
        for effect, of in values.items():
            if effect == "age":
                made.base[0] += of
            elif effect == "end":
                made.base[0] += of.reshape(STATES, ENDS, 1)
            elif effect == "age by state":
                made.base[0] += of.reshape(STATES, 1, len(AGES))
            elif effect == "clock":
                made.clock[0] += of
            elif effect == "clock by regime":
                made.clock[0] += of.reshape(self.regimes, CELLS)
            else:
                getattr(made, effect)[0] += of.reshape(self.kinds, -1)[self.kind]
        return made


def _blind() -> Structure:
    regime = np.broadcast_to(np.digitize(AGES, BORDERS), (STATES, ENDS, len(AGES)))
    return Structure("blind", regime, np.array([0, 0, 1, 2, 2]), OF_BLIND)


def _reacting() -> Structure:
    regime = np.empty((STATES, ENDS, len(AGES)), np.int64)
    regime[1] = np.digitize(AGES, OUT_BORDERS)
    regime[2] = regime[1] + len(OUT_BORDERS) + 1
    regime[0] = 2 * (len(OUT_BORDERS) + 1) + np.append(np.digitize(AGES, BORDERS), len(BORDERS))[:, None]
    return Structure("reacting", regime, np.array([0, 1, 1, 0, 1, 1, 2, 2, 3, 4, 4]), OF_REACTING)


BLIND, REACTING = _blind(), _reacting()
OUTSTANDING = np.arange(2 * (len(OUT_BORDERS) + 1)).reshape(2, -1)
"""The regimes of the class `REACTING` in which one batch is outstanding, and in which more are."""
