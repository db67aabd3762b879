cdef extern from *:
    """
    #define THINKTIME_POINT(table, place) ((table).data = (char *)(place))
    """
    void THINKTIME_POINT(long long[:, ::1] table, long long *place) noexcept

cdef inline long long[:, ::1] table_in(long long[::1] values, long long begin, long long[:, ::1] like):
    cdef long long[:, ::1] table = like
    THINKTIME_POINT(table, &values[begin])
    return table
