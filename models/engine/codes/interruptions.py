"""Numbers of `thinktime.models.engine.interruptions.interruptions`."""

RECORD = 11
ROW, BEGIN, STOP, FIRST_PLACE, PLACES, HOW, PROGRESS, OVERHEAD, LOST, SIZE, SUBMIT = range(RECORD)
"""What a record of a run has."""
FAILED, WINDOW, PREEMPTED, RESIZED = 3, 4, 5, 7
"""How a run was broken off (`thinktime.models.state.RUN_ENDS`)."""
MAY_GO_ON, IS_KILLED, KEEPS_WORK = 0, 1, 2
"""What becomes of the job."""
