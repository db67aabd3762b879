cdef enum:
    BASE = 0
    FIXED = 1
    TRIAL = 2
