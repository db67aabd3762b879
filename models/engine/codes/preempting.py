"""Numbers of `thinktime.models.engine.preempting`."""

YOUNGEST, LOWEST = range(2)
