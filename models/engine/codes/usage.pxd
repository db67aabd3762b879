cdef enum:
    START = 1
    END = -1
    MANY = 64
