cdef enum:
    MODE = 0
    SHORTEST = 1
    NOTICE = 2
    CHEAPNESS = 3
    OF_CLASS = 4
