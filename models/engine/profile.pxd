cimport cython
from thinktime.models.engine.structure cimport Structure
from libc cimport math

cdef double INFINITY
cdef long long FEW

cdef class Profile(Structure):
    cdef public double[::1] times
    cdef public long long[::1] free
    cdef public long long n
    cdef public long long width
    cdef public Profile second
    cdef long long pending
    cdef double until
    cdef bint in_groups
    cdef double[::1] falls
    cdef long long falling
    cpdef void begin(self, double now, long long width) noexcept
    @cython.locals(size=cython.longlong, width=cython.longlong, more=cython.longlong, i=cython.longlong, times=cython.double[::1], free=cython.longlong[::1])
    cdef void grow(self) noexcept
    @cython.locals(falls=cython.double[::1])
    cdef void note_fall(self, double time) noexcept
    @cython.locals(k=cython.longlong)
    cdef bint may_fall(self, long long i) noexcept
    @cython.locals(n=cython.longlong, numbers=cython.longlong, i=cython.longlong)
    cdef void copy_from(self, Profile other) noexcept
    @cython.locals(earliest=cython.double, i=cython.longlong, end=cython.double)
    cpdef void add_ends(self, double grace, long long[::1] processors, long long[::1] running, long long skip, double[::1] expected_end) noexcept
    @cython.locals(n=cython.longlong, width=cython.longlong, k=cython.longlong, i=cython.longlong)
    cpdef void advance(self, double now) noexcept
    @cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
    cpdef long long locate(self, double time) noexcept
    @cython.locals(i=cython.longlong)
    cdef long long step_at(self, double time) noexcept
    @cython.locals(i=cython.longlong, j=cython.longlong, n=cython.longlong)
    cpdef void change(self, double start, double end, long long delta) noexcept
    @cython.locals(i=cython.longlong)
    cdef bint has_before(self, double time, long long need) noexcept
    cpdef double earliest_fit(self, long long need, double duration) noexcept
    @cython.locals(i=cython.longlong, n=cython.longlong, until=cython.double, end=cython.double, j=cython.longlong)
    cpdef double earlier_fit(self, double reserved, long long need, double duration, double since, double reach) noexcept
    cdef double fit_from(self, double since, long long need, double duration) noexcept
    @cython.locals(i=cython.longlong, end=cython.double)
    cpdef bint fits_at(self, long long need, double begin, double duration) noexcept
    @cython.locals(i=cython.longlong, end=cython.double)
    cpdef bint fits_now(self, long long need, double duration) noexcept
    @cython.locals(n=cython.longlong, width=cython.longlong, j=cython.longlong)
    cdef void split(self, long long i, double time) noexcept
    @cython.locals(n=cython.longlong, width=cython.longlong, j=cython.longlong)
    cdef void join(self, long long i) noexcept

@cython.locals(last=cython.longlong, since=cython.double, k=cython.longlong, apart=cython.double)
cpdef double no_fit_before(double reserved, long long need, double duration, double[::1] tried) noexcept

@cython.locals(n=cython.longlong, place=cython.longlong, k=cython.longlong)
cpdef void note_tried(long long need, double duration, double until, double[::1] tried) noexcept

@cython.locals(last=cython.longlong, k=cython.longlong)
cpdef void note_given(double begin, double[::1] tried) noexcept
