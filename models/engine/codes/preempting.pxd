cdef enum:
    RESERVATIONS = 0
    HOW = 1
    VICTIMS = 2
    GRACE = 0
    EXEMPT = 1
    YOUNGEST = 0
    LOWEST = 1
