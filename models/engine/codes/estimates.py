"""Numbers of `thinktime.models.engine.estimates`."""

FACTOR, LAST_TWO, USER_AVERAGE = range(3)  # codes
LEAST = 1.0
"""The shortest run time that is expected, s."""
