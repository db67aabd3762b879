cdef enum:
    YOUNGEST = 0
    LOWEST = 1
