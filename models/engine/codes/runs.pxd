cdef enum:
    LOST = 0
    KEPT = 1
