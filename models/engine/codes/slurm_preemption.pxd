cdef enum:
    YOUNGEST = 0
    REORDERS = 1
    STRICT = 2
    SWEEP = 3
    PHASE = 4
    RETRY = 5
    REQUEUES = 6
    HEADER = 7
    MODE = 0
    SHORTEST = 1
    NOTICE = 2
    CHEAPNESS = 3
    OF_CLASS = 4
