"""Numbers of `thinktime.models.policies.reservations`."""

COMPLETION, EVENT, SCHEDULED, NONE = 0, 1, 2, 3  # what is compressed when
