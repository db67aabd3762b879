cdef enum:
    OSTRICH = 0
    SLURM = 1
    FAIRCAMP = 2
    LPT = 0
    SPT = 1
    FCFS = 2
    MLPT = 3
    AWAY = -2
