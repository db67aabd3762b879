cdef enum:
    WITHOUT_START = 0
    IN_USE = 1
    MOST_IN_USE = 2
    NEXT_START = 0
    EXCESS = 1
    LAST = 2
