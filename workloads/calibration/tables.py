"""The hazard with which users of a log submit their next batch, as tables.

*Batches* are jobs that a user submits within `TOGETHER` of each other, as long as not all of them are over. Within a
batch, offsets between submissions are the log's. After the last submission L of a batch, its user submits the next one
with the hazard (1/s)

    h(t) = exp( level[u, g] + base[c, s, e, a] + clock[c, g, cell(t)]
                + response[c, g, i] + slowdown[c, g, j] + queue[c, g, k] + done[c, g, d] + position[c, g, p] )

===  ===============================================================================================================
u    the user
c    the user's class
s    how many of the user's batches are outstanding: 0, 1, or 2 and more
a    the time since L
e    the time since a batch of the user's was last over, if that was not before L; else `NONE`, the last bin
g    the regime, ``regime[c, s, e, a]``
i    the response time of the user's batch that was over last, from its first submission; or none yet, the last bin
j    the slowdown of that batch: its response time over the run time of its job that ended last, or over `SHORT`
k    how many jobs wait, as the user saw it when a batch was last submitted or over
d    the share of the jobs of the latest batch that are over
p    how many batches the user has submitted since the last break
===  ===============================================================================================================

Edges of bins ascend: bin n is [edge n, edge n + 1), and the last one has no end. A value may be -inf: hazard 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.units import DAY, HOUR, MINUTE

TOGETHER = MINUTE
"""Submissions of a user that are at most so far apart (s) are in one batch."""
STATES = 3
"""Whether 0, 1, or 2 and more batches are outstanding."""
CELLS = 48
"""Of the clock: 24 hours of a working day, and 24 of a free day."""
HALF = 0.5
"""How much later than recorded a submission was made, s: logs have whole seconds, and it is after all that is recorded
for the same one."""
SHORT = MINUTE
"""A shorter run time counts as this in a slowdown, s."""
NONE = -1
"""The bin of what is not known yet: the last."""

AGES = MINUTE * np.concatenate([[0.0], 2.0 ** np.arange(17)])
"""Edges of the time since a submission, and since an end (s): up to 45 days."""
RESPONSES = MINUTE * np.array([0.0, 2.0, 8.0, 30.0, 120.0, 480.0, 1440.0])
SLOWDOWNS = np.array([0.0, 1.5, 4.0, 16.0])
QUEUES = np.array([0.0, 1.0, 4.0, 16.0, 64.0])
SHARES = np.array([0.0, 0.001, 0.5, 1.0])
POSITIONS = np.array([0.0, 2.0, 4.0, 8.0])
BREAK = 4 * HOUR
"""A longer time between two batches is a break, s."""


@dataclass(frozen=True, eq=False, kw_only=True)
class HazardTables:
    """The tables; their first index is the class, the second the regime where nothing else is said."""

    base: Floats
    """By class, state, time since an end, and time since the submission."""
    clock: Floats
    """By cell: the hour, and 24 more on free days."""
    response: Floats
    slowdown: Floats
    queue: Floats
    done: Floats
    position: Floats
    regime: Whole
    """By class, state, time since an end, and time since the submission."""
    since_submission: Floats
    since_end: Floats
    response_edges: Floats
    slowdown_edges: Floats
    queue_edges: Floats
    done_edges: Floats
    position_edges: Floats
    break_: float = BREAK

    @classmethod
    def flat(cls, rate: float = 1 / DAY, classes: int = 1, regime: Whole | None = None) -> "HazardTables":
        """One hazard (1/s) at all times and for all users, with the usual edges; one regime unless others are given."""
        shape = classes, STATES, len(AGES) + 1, len(AGES)
        regime = np.zeros(shape, np.int64) if regime is None else regime
        regimes = int(regime.max()) + 1
        edges = {
            "response": RESPONSES, "slowdown": SLOWDOWNS, "queue": QUEUES, "done": SHARES, "position": POSITIONS,
        }  # fmt: skip
        tables: dict[str, Any] = {
            name: np.zeros((len(regime), regimes, len(of) + (name in ("response", "slowdown"))))
            for name, of in edges.items()
        }
        return cls(
            base=np.full(regime.shape, np.log(rate)),
            clock=np.zeros((len(regime), regimes, CELLS)),
            **tables,
            response_edges=RESPONSES,
            slowdown_edges=SLOWDOWNS,
            queue_edges=QUEUES,
            done_edges=SHARES,
            position_edges=POSITIONS,
            regime=regime,
            since_submission=AGES,
            since_end=AGES,
        )
