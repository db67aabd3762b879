"""Numbers of `thinktime.models.policies.reservations`."""

COMPLETION, EVENT, SCHEDULED, NONE = 0, 1, 2, 3  # what is compressed when
UNTIED = -1
"""Instead of a length: reservations have no nodes yet, since any nodes would do, and now it matters which."""
