cdef enum:
    FROM = 0
    STOP = 1
    PLACES = 0
    LOG = 1
