"""Numbers of `thinktime.models.engine.gaps`."""

FROM, STOP = 0, 1
PLACES, LOG = 0, 1
"""What Python is asked to make longer."""
