cimport cython
from libc cimport math
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.structure cimport CountAndTime
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY

cdef class Rule(Structure):
    cpdef long long select(self, State state, double now, long long[::1] rows) noexcept
    cdef CountAndTime reserve_first(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(free=cython.longlong, narrowest=cython.longlong, row=cython.longlong, i_row=cython.longlong)
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    cdef bint passes_over(self, State state) noexcept
    cpdef void ended(self, State state, double now, long long[::1] rows) noexcept
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) noexcept
    cpdef void barred(self, State state, double now, long long[::1] rows) noexcept
    cpdef void put_off(self, State state, double now, long long[::1] rows) noexcept
    cpdef void started(self, State state, double now, long long[::1] rows) noexcept
    cpdef void revised(self, State state, double now, long long[::1] rows) noexcept
    cdef double next_due(self, State state, double now) noexcept

@cython.locals(queue=cython.longlong[::1], k=cython.longlong, before=cython.longlong)
cpdef long long decide(State state, Rule rule, double now, long long[::1] rows) noexcept
