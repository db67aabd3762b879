"""Numbers of `thinktime.models.engine.rules`."""

NEEDS_ROOM = -1
