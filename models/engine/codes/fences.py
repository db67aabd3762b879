"""Numbers of `thinktime.models.engine.rooms.fences`."""

DOWN, ONE = 2**61, 1
"""What a node that is down has less of everything."""
ABSENT = -(2**59) * 3
"""A node with less than this is down, whatever windows it is in."""
