cimport cython
from libc cimport math
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Recorded(Rule):
    cdef public long long without_start
    cdef public long long in_use
    cdef public long long most_in_use
    cdef public double next_start
    cdef public double excess
    cdef public double last
    @cython.locals(out=cython.longlong[::1], over=cython.longlong, k=cython.longlong, place=cython.longlong, row=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cdef double next_due(self, State state, double now) noexcept
