cdef enum:
    OF_USER = 0
    OF_PARTITION = 1
    OF_BOTH = 2
    OF_ASSOCIATION = 3
    KINDS = 4
