cdef enum:
    EACH_START = 3
    IN_LINE = 4
    RUNNING = 5
    ABSENT = -1
    OVER = -2
    GIVEN = 2
    SINCE = 0
    UNTIL = 1
    GRACE_THEN = 2
