cdef enum:
    PREFERRED = 0
    LEAST = 1
    MOST = 2
    AVERAGE = 3
    LARGEST = 4
    EARLIEST = 5
    NOBODY = 0
    OLDEST = 1
    SMALLEST = 2
    BEST = 3
    LATEST = 1
    WIDEST = 2
    CHEAPEST = 3
    EQUAL = 0
    COMMON = 1
    EVERYBODY = -1
    NOWHERE = -1
