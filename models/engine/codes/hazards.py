"""Numbers of `thinktime.models.engine.hazards`."""

# what a bin is of; the edges of each kind begin at this place of a shape, and those of the last end at the next
SINCE_SUBMISSION, SINCE_END, RESPONSE, SLOWDOWN, QUEUE, DONE, POSITION = range(7)
# places of a shape: how many regimes there are, where the regimes, the base, the clock and its sums begin, how many
# days have cells, how many of them come again, where the cells begin, and where each of the effects begins
REGIMES, REGIME_OF, BASE, CLOCK, SUMS, DAYS, PERIOD, CELLS_OF, EFFECTS = range(8, 17)
SHAPE = 21
"""Numbers in a shape."""
BINS = 5
"""Bins that each user has: from `RESPONSE` on."""
CELLS = 48
STATES = 3
HOURS = 24
"""In a day of the calendar."""
YEAR = 366
"""So many days after a calendar, whole weeks are walked at once."""
NOT_PAUSED, AT_BORDER, IN_DAYS = range(3)
"""Whether a walk has paused, and where."""
