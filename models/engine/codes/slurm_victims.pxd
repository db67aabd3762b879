cdef enum:
    NOBODY = 0
    STARTS = 1
    LEFT = 2
    UNDER_NOTICE = 3
