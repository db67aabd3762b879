"""The states of a job as numbers; `thinktime.models.state` says what they mean."""

FUTURE, WAITING, RUNNING, FINISHED, KILLED, WITHDRAWN, REFUSED = range(7)
