cdef enum:
    BITS = 30
    BASE = 1073741824
    LOW = 1073741823
    PLUS = 1
    MINUS = -1
