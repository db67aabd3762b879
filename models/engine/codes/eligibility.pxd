cdef enum:
    ASIDE = 1
    JOINED = 2
    AFTER = 0
    AFTER_ANY = 1
    AFTER_OK = 2
    AFTER_NOT_OK = 3
    DATE = 4
    HELD = 1
    NEVER = 2
    LISTED = 4
    DEFERRED = 8
    AT_ONCE = -1
    QUESTION = -1152921504606846981
