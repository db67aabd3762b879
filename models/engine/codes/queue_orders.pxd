cdef enum:
    LXF = 1
    WFP3 = 2
    UNICEF = 3
    BY_USAGE = 4
    CRITICALITY = 5
    BY_USER = 0
    BY_GROUP = 1
    PROCESSORS = 0
    EQUIVALENTS = 1
    RUN = 8
