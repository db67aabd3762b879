cdef enum:
    STRICT = 0
    NO_GUARANTEE = 1
    EASY = 2
