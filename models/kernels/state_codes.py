"""The states of a job, and the reasons why it waits, as numbers; `thinktime.models.state` says what they mean."""

FUTURE, WAITING, RUNNING, FINISHED, KILLED, WITHDRAWN, REFUSED = range(7)
NO_REASON, NO_ROOM, BEHIND_HEAD, RESERVATION, POLICY, LIMIT = range(6)
