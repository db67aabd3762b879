cimport cython
from thinktime.models.engine.codes.end_groups cimport SLOTS

cdef double INFINITY

@cython.final
cdef class EndGroups:
    cdef public bint known
    cdef long long size
    cdef long long count
    cdef long long started
    cdef double since
    cdef double length
    cdef double linear
    cdef double soonest
    cdef double after
    cdef double[::1] lower
    cdef double[::1] upper
    cdef long long[::1] tables
    cdef double[::1] lowers
    cdef double[::1] uppers
    cdef double[::1] times
    @cython.locals(slot=cython.longlong)
    cdef void forget(self, long long size) noexcept
    @cython.locals(i=cython.longlong)
    cdef void clear(self, long long slot, double time) noexcept
    @cython.locals(n=cython.longlong)
    cdef void add(self, double lower, double upper, double time) noexcept
    @cython.locals(n=cython.longlong, lowers=cython.double[::1], uppers=cython.double[::1], times=cython.double[::1])
    cdef void grow(self) noexcept
