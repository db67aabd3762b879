cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY
cdef double NAN

cdef class Omissions:
    cdef public double none_at
    cdef public long long waiting
    cdef public long long most
    cdef public long long count
    cdef public long long held
    cdef public double first
    cdef public long long idle
    cdef public double since
    cpdef gave_none(self, State state, double now)
    @cython.locals(started=cython.longlong, idle=cython.longlong, head=cython.longlong)
    cdef void passed(self, State state, double now, long long[::1] rows, object eyes) except *
    @cython.locals(i=cython.longlong, row=cython.longlong)
    cdef bint late(self, State state, long long[::1] rows, long long idle) noexcept
