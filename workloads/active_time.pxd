cimport cython

cdef double inf, HOUR, WEEK
cdef long long WEEK_HOURS


@cython.locals(
    week=double, within=double, hours=double, weeks=double, left=double, rest=double, found=double,
    hour="long long", place="long long", stop="long long", middle="long long",
)
cpdef double after(
    double[::1] borders, double[::1] weights, long long first, double shift, double time, double gap
) noexcept
