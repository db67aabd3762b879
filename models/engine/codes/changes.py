"""Numbers of `thinktime.models.engine.changes.changes`."""

REPAIR, CLOSE, FAIL, ANNOUNCE, OPEN = range(5)
"""What happens."""
