"""Numbers of `thinktime.models.engine.recorded`."""

WITHOUT_START, IN_USE, MOST_IN_USE = range(3)  # places in ``counts``: jobs, processors
NEXT_START, EXCESS, LAST = range(3)  # places in ``clock``; EXCESS: processor-seconds beyond the machine until LAST
