"""Numbers of `thinktime.models.engine.machine_state`."""

ZERO = 0
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = range(4)
# bits of ``attention``: a job has an event; somebody waits for its end; somebody may wait for its start; it was taken
# back before its submission; somebody may wait for an interruption; it comes to the queue after its submission
KNOWN, AWAITED, AWAITED_START, UNWANTED, AWAITED_INTERRUPTION, LATE = 1, 2, 4, 8, 16, 32
# bits of ``manner``: a batch is a campaign; Python is asked for its release; it is a user who follows a plan; who
# submits on the grid of time; whose first campaign is to come; who has no more campaigns than are known; for whom
# Python has to be asked now
NUMBERED, HELD, PLANNED, ON_GRID, FIRST, LAST, ASKED = 1, 2, 4, 8, 16, 32, 64
# whether users respond when a batch is due (``responds``): they have, or Python has to ask them first
HAS_RESPONDED, WILL_RESPOND = 1, 2
NEWCOMERS = -1 << 60
# the other questions: end what was given back, what was cancelled, take out of the queue what was held or withdrawn,
# and let jobs go on that reach their estimates
GIVEN_BACK, CANCELLED, WITHDRAWN, AT_ESTIMATES = range(NEWCOMERS - 4, NEWCOMERS)
OF_USER = 1 << 48
"""Added to the number of a user in ``told``."""
