cimport cython
from libc cimport math
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

@cython.locals(end=cython.double, n=cython.longlong)
cdef void put_end(State state, Truth truth, long long row) noexcept

@cython.locals(n=cython.longlong, gone=cython.double, row=cython.longlong, time=cython.double, child=cython.longlong, last=cython.double, i=cython.longlong)
cdef void take_end(State state, Truth truth, long long place) noexcept

@cython.locals(place=cython.longlong)
cdef long long end_of(State state, Truth truth, long long row) noexcept

@cython.locals(above=cython.longlong)
cdef void _rise(Truth truth, long long place, long long row, double time) noexcept

cdef bint _is_before(Truth truth, long long place, double time, long long row) noexcept
