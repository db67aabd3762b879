"""Numbers of `thinktime.models.engine.virtual`."""

from thinktime.workloads.arrays import Floats, Ints, IntTable

NOBODY = -1
PASS, RULE, WITHIN, HELD_BACK, CORRECTED = range(5)  # places in ``options``
THRESHOLD, RHO, NEXT, GIVEN = range(4)  # in ``limits``: two options, two times
"""``NEXT`` is the instant of the next virtual completion, ``GIVEN`` when virtual time was last handed out."""
ACTIVE, READY, FREE, STAMP, BUSY, IN_USE, CAPACITY = range(7)  # in ``counts``
"""Lengths of ``active``, ``line`` and ``free``; campaigns so far; users with jobs; processors that were used at the
last event; all processors."""
TIME, SERVICE, DUE, SHARES, UNIT, SPEED = range(6)
"""Rows of ``clock``: the last event, S then, the next completion, the sum of active shares, a share of 1, and that
times the number of processors."""
BY_CAMPAIGN = {
    **dict.fromkeys(("active", "begun", "free", "owner", "index", "number", "after", "live", "joined"), Ints),
    **dict.fromkeys(("submit", "work", "virtual_start", "virtual_end", "urgency", "given"), Floats),
    **dict.fromkeys(("finish", "tag"), IntTable),
}
BY_USER = {
    **dict.fromkeys(("appeared", "since", "founded", "jobs", "latest", "first", "last"), Ints),
    **{"weight": Floats, "share": IntTable},
}
CAMPAIGNS = {
    "options": Ints, "limits": Floats, "counts": Ints, "clock": IntTable, "of": Ints, "line": Ints,
} | BY_CAMPAIGN | BY_USER  # fmt: skip
