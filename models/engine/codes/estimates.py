"""Numbers of `thinktime.models.engine.estimates`."""

FACTOR, LAST_TWO, USER_AVERAGE = range(3)  # codes
