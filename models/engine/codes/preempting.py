"""Numbers of `thinktime.models.engine.changes.preempting`."""

YOUNGEST, LOWEST = range(2)
