cdef enum:
    UNTOLD = 1
    LOOKS_AGAIN = 2
    HOP = 1099511627776
