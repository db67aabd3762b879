cdef enum:
    RECORD = 10
    ROW = 0
    BEGIN = 1
    STOP = 2
    FIRST_PLACE = 3
    PLACES = 4
    HOW = 5
    PROGRESS = 6
    OVERHEAD = 7
    LOST = 8
    SUBMIT = 9
    FAILED = 3
    WINDOW = 4
    PREEMPTED = 5
    MAY_GO_ON = 0
    IS_KILLED = 1
    KEEPS_WORK = 2
