cdef enum:
    NOTHING = -3
    ALONE = -2
    INSIDE = -1
