cimport cython
from libc cimport math

cdef double INFINITY
cdef long long FEW

@cython.locals(n=cython.longlong, earliest=cython.double, i=cython.longlong, end=cython.double)
cpdef long long build(double now, double grace, long long free_now, long long[::1] processors, long long[::1] running, long long skip, double[::1] expected_end, double[::1] times, long long[::1] free) noexcept

@cython.locals(k=cython.longlong, i=cython.longlong)
cpdef long long advance(double now, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cpdef long long locate(double time, double[::1] times, long long n) noexcept

@cython.locals(i=cython.longlong, j=cython.longlong)
cpdef long long change(double start, double end, long long delta, double[::1] times, long long[::1] free, long long n) noexcept

cpdef double earliest_fit(long long need, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong, until=cython.double, end=cython.double, j=cython.longlong)
cpdef double earlier_fit(double reserved, long long need, double duration, double since, double reach, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(last=cython.longlong, since=cython.double, k=cython.longlong, apart=cython.double)
cpdef double no_fit_before(double reserved, long long need, double duration, double[::1] tried) noexcept

@cython.locals(n=cython.longlong, place=cython.longlong, k=cython.longlong)
cpdef void note_tried(long long need, double duration, double until, double[::1] tried) noexcept

@cython.locals(last=cython.longlong, k=cython.longlong)
cpdef void note_given(double begin, double[::1] tried) noexcept

@cython.locals(end=cython.double, i=cython.longlong)
cpdef bint fits_now(long long need, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(j=cython.longlong)
cdef long long _split(long long i, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(j=cython.longlong)
cdef long long _join(long long i, double[::1] times, long long[::1] free, long long n) noexcept
