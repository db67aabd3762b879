cimport cython
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.machine_state cimport State

@cython.locals(i=cython.longlong)
cdef void suppose(State state, long long[::1] rows, double now, double sign) noexcept

@cython.locals(own=cython.longlong)
cdef void suppose_more(State state, long long row, long long more, double now, double sign) noexcept

@cython.locals(own=cython.longlong)
cdef void suppose_parts(State state, long long row, long long size, double now, double sign) noexcept
