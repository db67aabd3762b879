"""Numbers of `thinktime.models.engine.rooms.nodes`."""

FIRST_FIT, BEST_FIT, WORST_FIT, OWN, CONSECUTIVE, SERIAL_LAST = range(6)  # allocators
NODE, STOP, CHUNK, UNITS = range(4)  # columns of ``places``
GIVE, TAKE = 1, -1  # signs of a change
MANY = 2**62
BLOCK = 64
"""Nodes whose idle processors are counted together."""
NOBODY = -1  # instead of a shape
