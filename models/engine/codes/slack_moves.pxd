cdef enum:
    INSERT = 0
    REMOVE = 1
    EXTEND = 2
