cdef enum:
    BARRED = 0
    BY = 1
    KEYED = 2
    NOBODY = 0
    ABOVE_MEAN = 1
    ABOVE_QUANTILE = 2
    STARVE = 0
    QUANTILE = 1
    MAIN = 0
    APART = 1
    HERE = 2
