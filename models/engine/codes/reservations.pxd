cdef enum:
    LENGTH = 0
    LOOSE = 1
    BROKEN = 2
    ENDED = 3
    COMPRESS = 4
    INFORMED = 5
    NEXT = 0
    REACH = 1
    COMPLETION = 0
    EVENT = 1
    SCHEDULED = 2
    NONE = 3
    UNTIED = -1
