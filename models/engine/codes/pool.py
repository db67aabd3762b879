"""Numbers of `thinktime.models.engine.pool`."""

from thinktime.models.engine.codes.state_codes import KILLED

NOT_WAITING, NO_ROOM = 0, 1  # faults of a proposal
EVICTED, NEXT = KILLED, 0
