cdef enum:
    FIRST_FIT = 0
    BEST_FIT = 1
    WORST_FIT = 2
    OWN = 3
    CONSECUTIVE = 4
    SERIAL_LAST = 5
    NODE = 0
    STOP = 1
    CHUNK = 2
    UNITS = 3
    GIVE = 1
    TAKE = -1
    MANY = 4611686018427387904
    BLOCK = 64
    NOBODY = -1
