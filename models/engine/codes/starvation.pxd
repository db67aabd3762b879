cdef enum:
    NOBODY = 0
    ABOVE_MEAN = 1
    ABOVE_QUANTILE = 2
    MAIN = 0
    APART = 1
    HERE = 2
