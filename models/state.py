"""The states of a job, from the moment it is known to the moment it is over.

A job is over in one of four ways, and exactly once:

    FUTURE -> WAITING -> RUNNING -> FINISHED | KILLED
       |          `-----------------> WITHDRAWN
       `----------------------------> REFUSED

The numbers are stored in the `state` column of the machine and of a `Result`. They are ordered, so
`state >= State.FINISHED` says that a job is over.
"""

import enum

from thinktime.models.engine.codes import state_codes


class State(enum.IntEnum):
    """Where a job stands, from its submission to its end.

    >>> State.KILLED.over, State.RUNNING >= State.FINISHED
    (True, False)
    """

    FUTURE = state_codes.FUTURE
    """Known to a replay, but not submitted yet; never part of a result."""
    WAITING = state_codes.WAITING
    """Submitted, and in the queue."""
    RUNNING = state_codes.RUNNING
    """Holds its processors."""
    FINISHED = state_codes.FINISHED
    """Ran to its own end."""
    KILLED = state_codes.KILLED
    """Started, and was ended before its own end: by the machine, or by its user who cancelled it."""
    WITHDRAWN = state_codes.WITHDRAWN
    """Taken back by its user while it waited; its end is the time of that."""
    REFUSED = state_codes.REFUSED
    """Never entered the queue, because it cannot run on this machine, or its site does not take it."""

    @property
    def over(self) -> bool:
        """Nothing more will happen to such a job."""
        return self >= State.FINISHED

    @property
    def label(self) -> str:
        """The state in lower-case text, as tables show it."""
        return self.name.lower()


RUN_ENDS = ("finished", "limit", "cancelled", "failed", "window", "preempted", "running", "resized")
"""How a run of a job ended, or that it goes on; runs that are not the last of a job have one of the middle three, and
stages of runs (`thinktime.workloads.shapes`) the last."""


class Reason(enum.IntEnum):
    """Why a job did not start at the last pass that found it waiting, in the column `reason` of a `Result`."""

    NO_REASON = state_codes.NO_REASON
    """It has never waited beyond a pass."""
    NO_ROOM = state_codes.NO_ROOM
    """After the starts of the pass, there was no room for it."""
    BEHIND_HEAD = state_codes.BEHIND_HEAD
    """There was room, but the head of the queue has to start first."""
    RESERVATION = state_codes.RESERVATION
    """There was room, but the job would have delayed a reservation of another one, or waits for its own."""
    POLICY = state_codes.POLICY
    """There was room, but the policy did not want to start it, as in a search, or in a policy of your own."""
    LIMIT = state_codes.LIMIT
    """It was beyond a limit of the site, whether there was room or not."""

    @property
    def label(self) -> str:
        """The reason in lower-case text, as tables show it; empty for none."""
        return self.name.lower().replace("_", " ") if self else ""
