cdef enum:
    BACKFILL = 0
    CANDIDATE = 1
    MAIN = 2
    NEXT_TICK = 3
