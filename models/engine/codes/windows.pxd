cdef enum:
    ABSENT = -1
    OVER = -2
    GIVEN = 2
