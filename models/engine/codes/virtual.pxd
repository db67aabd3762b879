cdef enum:
    NOBODY = -1
