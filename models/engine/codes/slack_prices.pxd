cdef enum:
    AST = 0
    AAT = 1
    DU = 2
    DC = 3
    DP = 4
