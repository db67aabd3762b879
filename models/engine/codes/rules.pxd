cdef enum:
    NEEDS_ROOM = -1
