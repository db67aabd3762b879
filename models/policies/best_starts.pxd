cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY

cdef class Waits(Structure):
    cdef public double wait
    cdef public double share
    cdef public double alike
    cdef public double[::1] times
    cdef public double[::1] values
    cdef public double[::1] foretold
    cdef public double[::1] tried
    cdef public double[::1] worth
    cdef public long long[::1] order
    cdef public long long[::1] spare

cdef double begin_of(Waits steps, long long step) noexcept

cdef double seen_at(Waits steps, long long here, long long step) noexcept

@cython.locals(times=cython.double[::1], tried=cython.double[::1], totals=cython.double[::1], here=cython.longlong, k=cython.longlong, first=cython.longlong, start=cython.double, span=cython.double, last=cython.double, total=cython.double, end=cython.longlong, n=cython.longlong, least=cython.double, most=cython.double, step=cython.double, best=cython.longlong)
cpdef void least_windows(Waits steps, double[::1] now, double[::1] length, double[::1] found) noexcept

@cython.locals(here=cython.longlong, k=cython.longlong, least=cython.double, step=cython.longlong)
cpdef void lowest_slots(Waits steps, double[::1] now, double[::1] found) noexcept

@cython.locals(lengths=cython.double[::1], worth=cython.double[::1], order=cython.longlong[::1], here=cython.longlong, k=cython.longlong, last=cython.double, n=cython.longlong, begin=cython.double, end=cython.double, place=cython.longlong, below=cython.double, limit=cython.double, step=cython.longlong)
cpdef void below_quantile(Waits steps, double[::1] now, double[::1] found) noexcept
