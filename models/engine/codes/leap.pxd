cdef enum:
    ENDS = 0
    PASS = 1
    TELL = 2
    AGAIN = 3
    HELP = 4
    WORK = 5000000
    UNSEEN = 5000
