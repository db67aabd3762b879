cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

@cython.locals(tables=cython.longlong[::1], stops=cython.longlong[::1], submit=cython.double[::1], place=cython.longlong)
cpdef void announce(State state, Truth truth, long long first, long long stop) noexcept

@cython.locals(row=cython.longlong, stop=cython.longlong)
cdef void arrive_as_announced(State state, Truth truth, double now) noexcept

@cython.locals(place=cython.longlong, n=cython.longlong, child=cython.longlong)
cdef void _sink(State state, Truth truth, long long row, long long stop) noexcept
