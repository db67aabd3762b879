cdef enum:
    FUTURE = 0
    WAITING = 1
    RUNNING = 2
    FINISHED = 3
    KILLED = 4
    WITHDRAWN = 5
    REFUSED = 6
    NO_REASON = 0
    NO_ROOM = 1
    BEHIND_HEAD = 2
    RESERVATION = 3
    POLICY = 4
    LIMIT = 5
