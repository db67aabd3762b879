cdef enum:
    AST = 0
    AAT = 1
    DU = 2
    DC = 3
    DP = 4
    A_U = 0
    A_T = 1
    A_P = 2
    A_F = 3
