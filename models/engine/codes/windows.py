"""Numbers of `thinktime.models.engine.windows`."""

# ``options`` begins as that of other orders; then: whether every start sorts anew, and the length of ``line``
EACH_START, IN_LINE, RUNNING = 3, 4, 5
ABSENT, OVER = -1, -2  # for ``account``; who is over is still in ``line``
GIVEN = 2  # a measure: the rates are in ``rate`` before a job starts
SINCE, UNTIL, GRACE_THEN = range(3)  # places in ``window``; the last is the grace at the last start
