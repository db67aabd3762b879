"""Numbers of `thinktime.models.orders.windows`."""

ABSENT, OVER = -1, -2  # for ``account``; who is over is still in ``line``
GIVEN = 2  # a measure: the rates are in ``rate`` before a job starts
