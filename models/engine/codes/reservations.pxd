cdef enum:
    COMPLETION = 0
    EVENT = 1
    SCHEDULED = 2
    NONE = 3
