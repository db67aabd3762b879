"""Numbers of `thinktime.models.engine.long_numbers`."""

BITS = 30
BASE = 1 << BITS
LOW = BASE - 1
PLUS, MINUS = 1, -1
