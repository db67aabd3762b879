cdef enum:
    NOT_WAITING = 0
    NO_ROOM = 1
    EVICTED = 4
    NEXT = 0
