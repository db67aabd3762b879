cdef enum:
    SLOTS = 24
