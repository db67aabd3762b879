"""Numbers of `thinktime.models.engine.preempting`."""

RESERVATIONS, HOW, VICTIMS = range(3)  # places in ``options``
GRACE, EXEMPT = range(2)  # places in ``seconds``
YOUNGEST, LOWEST = range(2)
