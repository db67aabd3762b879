cimport cython
from libc cimport math
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.structure cimport CountAndTime
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY
cdef Profile NO_PROFILE

cdef class Rule(Structure):
    cdef public bint asks
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cdef CountAndTime reserve_first(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(free=cython.longlong, narrowest=cython.longlong, row=cython.longlong, i=cython.longlong)
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    cdef bint passes_over(self, State state) noexcept
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    cpdef void barred(self, State state, double now, long long[::1] rows) except *
    cpdef void put_off(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cpdef void revised(self, State state, double now, long long[::1] rows) except *
    cpdef void interrupted(self, State state, double now, long long[::1] rows) except *
    cpdef void count_as(self, State state, double now, long long[::1] rows) except *
    cpdef bint reshape(self, State state, double now, long long[::1] rows) except -1
    cpdef void resizing(self, State state, double now, long long[::1] rows) except *
    cpdef void resized(self, State state, double now, long long[::1] rows) except *
    cdef Profile kept_profile(self)
    cdef double next_due(self, State state, double now) noexcept
    cdef void changed(self, State state, double now) except *
    cdef bint strikes(self, State state, double now) except -1
    cdef void submitted(self, State state, double now, long long[::1] rows) except *
    cdef bint may_be_cut(self, State state, double now, long long count) except -1
    cdef void refuse(self, State state, double now, long long[::1] rows, long long fault) except *
    cdef void passed(self, State state, double now, long long[::1] rows) except *
    cdef void plan(self, State state, double now) except *

@cython.locals(queue=cython.longlong[::1], k=cython.longlong, before=cython.longlong)
cpdef long long decide(State state, Rule rule, double now, long long[::1] rows) except? -99
