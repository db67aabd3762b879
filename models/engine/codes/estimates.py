"""Numbers of `thinktime.models.engine.estimates`."""

FACTOR, LAST_TWO, USER_AVERAGE = range(3)  # codes
CODE, KILLS, REVISES, IN_HEAP = range(4)  # places in ``options``
