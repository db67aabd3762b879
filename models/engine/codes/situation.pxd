cdef enum:
    CANCELLED = 0
    REQUEUED = 1
    SUSPENDED = 2
    OF_PROCESS = 2
    BEGAN = 1
    CAME_BACK = 2
    REQUEUE = 0
    KILL_JOBS = 1
    WAIT = 2
    SUSPEND = 3
    NOBODY = -1
