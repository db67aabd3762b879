cimport cython


@cython.locals(
    u="long long", head="long long", n="long long", j="long long", a="long long", r="long long", rem="long long",
    cap="long long", i="long long", x="long long", need="long long", end="long long", k="long long",
    last="long long", level="long long",
)
cpdef void plan(
    long long[::1] first, long long[::1] arrival, long long[::1] request, long long[::1] work, long long[::1] capacity,
    long long[::1] times, long long[::1] used, long long[::1] out
) noexcept
