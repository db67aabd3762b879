cdef enum:
    KINDS = 4
