"""Numbers of `thinktime.models.engine.reservations`."""

LENGTH, LOOSE, BROKEN, ENDED, COMPRESS, INFORMED = range(6)  # places in ``memory``
NEXT, REACH = 0, 1  # places in ``due``
COMPLETION, EVENT, SCHEDULED, NONE = 0, 1, 2, 3  # what is compressed when
UNTIED = -1
"""Instead of a length: reservations have no nodes yet, since any nodes would do, and now it matters which."""
