"""Numbers of `thinktime.models.engine.shapes` and of the rule `thinktime.models.policies.shapes`."""

PREFERRED, LEAST, MOST, AVERAGE, LARGEST, EARLIEST = range(6)
"""The size with which a job starts."""
NOBODY, OLDEST, SMALLEST, BEST = range(4)
"""Who gets larger first."""
LATEST, WIDEST, CHEAPEST = range(1, 4)
"""Who gets smaller first."""
EQUAL, COMMON = range(2)
"""How processors are shared."""
EVERYBODY = -1
"""All waiting jobs have reservations."""
NOWHERE = -1
"""The place of a size that a form does not have."""
