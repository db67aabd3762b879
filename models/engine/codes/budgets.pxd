cdef enum:
    NONE = 0
    HOLD = 1
    REFUSE = 2
    LOWEST = 3
    BEGUN = 1
    HOPELESS = 2
    FROM = 0
    SUM = 1
    GROWTH = 2
    OF_LINE = 3
    QUESTION = -1152921504606846982
