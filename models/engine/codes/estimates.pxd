cdef enum:
    FACTOR = 0
    LAST_TWO = 1
    USER_AVERAGE = 2
    CODE = 0
    KILLS = 1
    REVISES = 2
    IN_HEAP = 3
