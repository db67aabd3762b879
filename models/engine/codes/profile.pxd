cdef enum:
    GIVE = 1
    TAKE = -1
    LONG = 96
    NOTES = 17
