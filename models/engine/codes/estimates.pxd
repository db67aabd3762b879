cdef enum:
    FACTOR = 0
    LAST_TWO = 1
    USER_AVERAGE = 2
