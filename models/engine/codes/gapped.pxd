cdef enum:
    FAR = 256
