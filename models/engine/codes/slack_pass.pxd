cdef enum:
    PRINTED = 0
    SP_KEPT = 1
    SP_FIRST = 2
    ABSOLUTE = 3
    OWN_PRICE = 4
