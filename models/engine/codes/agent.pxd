cdef enum:
    NO_ANSWER = -1
    ASKS = -2
    FREE = 0
    PROCESSORS = 1
    HOUR = 2
    NOW = 3
    FIRST = 4
    WAIT = 0
    ESTIMATE = 1
    WIDTH = 2
    USAGE = 3
    REMAINING = 0
    RUNNING_WIDTH = 1
    OF_WAITING = 4
    OF_RUNNING = 2
