"""Numbers of `thinktime.models.engine.machine_state`."""

ZERO = 0
# places in the state's ``counts``
(
    IDLE, IN_QUEUE, AT_WORK, PROCESSORS, OVERRUN, FIRST_RUNNING, STOP_RUNNING, FRESH, PASSED_OVER, WITHHELD, HEAD,
    AHEAD, OUT_OF_TURN,
) = range(13)  # fmt: skip
"""``PASSED_OVER``: so many rows, from the head on, did not start in the last pass, and nothing has ended since. Under a
rule that keeps nothing between passes they cannot start now. ``WITHHELD``: one of them may start with less room.
``AHEAD``: so many windows and repairs are known, which make steps in a profile. ``OUT_OF_TURN``: so many jobs have
joined the queue that were submitted before, so newcomers may be anywhere in it; who has looked sets it to 0."""
# places in its ``clock``: after the first are the shadow time of the last pass and what is left then, then how jobs are
# ended that reach their limits (`thinktime.models.site.time_limits`)
GRACE, SHADOW, LATER, SWEEP, PHASE, OVER_TIME, LAST_WAIT = range(7)
# places in the truth's ``counts``
(
    OVER, ARRIVED, TURNED_AWAY, TABLES, ENDED_WATCHES, TOLD, BEGUN, HIT, GIVEN, TO_COME, CAMPAIGNS, DUE, ANSWERS, TURN,
    STAMP, KNOWN_ROWS, NEXT_ID, EXPLAINED, WHO, NEXT_CHANGE, CHANGES, LOGGED, IMPATIENT, SEEN, IN_SIGHT, STIRRED,
) = range(26)  # fmt: skip
"""``SEEN``: so many jobs waited after the last pass. ``IN_SIGHT``: the same, without those that left the queue since.
``STIRRED``: whether something has happened at this instant before its pass."""
# places in its ``clock``
NEXT_END, LAST_END, ARRIVAL, REACHED, CHANGE, ASKED_AT, BALKED_AT = range(7)
# what happens to a job that reaches its estimate; AS_RECORDED also lets starts exceed the machine
KILL, EXTEND, UNTIL_NEEDED, AS_RECORDED = range(4)
# bits of ``attention``: a job has an event; somebody waits for its end; somebody may wait for its start; it was taken
# back before its submission; somebody may wait for an interruption; it comes to the queue after its submission
KNOWN, AWAITED, AWAITED_START, UNWANTED, AWAITED_INTERRUPTION, LATE = 1, 2, 4, 8, 16, 32
# bits of ``manner``: a batch is a campaign; Python is asked for its release; it is a user who follows a plan; who
# submits on the grid of time; whose first campaign is to come; who has no more campaigns than are known; for whom
# Python has to be asked now
NUMBERED, HELD, PLANNED, ON_GRID, FIRST, LAST, ASKED = 1, 2, 4, 8, 16, 32, 64
NEWCOMERS = -1 << 60
OF_USER = 1 << 48
"""Added to the number of a user in ``told``."""
NEWS = slice(ENDED_WATCHES, HIT + 1)
"""Those that count what has to be told."""
