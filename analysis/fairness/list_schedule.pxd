cimport cython


@cython.locals(
    i="long long", need="long long", g="long long", used="long long", m="long long", place="long long",
    ahead="long long", start=double, end=double,
)
cpdef double list_start(
    double[::1] times, long long[::1] counts, long long groups, long long[::1] processors, double[::1] lengths
) noexcept
