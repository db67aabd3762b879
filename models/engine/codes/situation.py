"""Numbers of `thinktime.models.engine.situation`."""

CANCELLED, REQUEUED, SUSPENDED = range(3)
"""``leaves``: how a job that is preempted leaves."""
OF_PROCESS = 2
"""``lasting``, of a hold: it is no job that could run again."""
BEGAN, CAME_BACK = 1, 2
"""``NEWS``: an outage began or a window was announced; processors came back unexpectedly, ``BACK`` of them."""
REQUEUE, KILL_JOBS, WAIT, SUSPEND = range(4)
"""What becomes of jobs in the way of a window; only a cap lets them be suspended."""
NOBODY = -1
