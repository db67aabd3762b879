"""The states of a job, from the moment it is known to the moment it is over.

A job is over in one of four ways, and exactly once:

    FUTURE -> WAITING -> RUNNING -> FINISHED | KILLED
       |          `-----------------> WITHDRAWN
       `----------------------------> REFUSED

The numbers are stored in the `state` column of the machine and of a `Result`. They are ordered, so
`state >= State.FINISHED` says that a job is over.
"""

from __future__ import annotations

import enum


class State(enum.IntEnum):
    """Where a job stands."""

    FUTURE = 0
    """Known to a replay, but not submitted yet; never part of a result."""
    WAITING = 1
    """Submitted, and in the queue."""
    RUNNING = 2
    """Holds its processors."""
    FINISHED = 3
    """Ran to its own end."""
    KILLED = 4
    """Started, and was ended before its own end: by the machine, or by its user who cancelled it."""
    WITHDRAWN = 5
    """Taken back by its user while it waited; its end is the time of that."""
    REFUSED = 6
    """Never entered the queue, because it cannot run on this machine."""

    @property
    def over(self) -> bool:
        """Nothing more will happen to such a job."""
        return self >= State.FINISHED

    @property
    def label(self) -> str:
        """The state in lower-case text, as tables show it."""
        return self.name.lower()


FUTURE, WAITING, RUNNING, FINISHED, KILLED, WITHDRAWN, REFUSED = (int(state) for state in State)
"""The same numbers for kernels, which know them as constants."""
