cdef enum:
    REPAIR = 0
    CLOSE = 1
    FAIL = 2
    ANNOUNCE = 3
    OPEN = 4
