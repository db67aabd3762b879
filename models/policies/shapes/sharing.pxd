cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport shapes
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport shapes as codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule
from thinktime.models.policies.shapes cimport choosing
from thinktime.models.policies.shapes cimport rule as around

cdef double INFINITY

cdef class Sharing(Rule):
    cdef public long long share
    cdef public Profile profile
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(before=cython.longlong, sharers=cython.longlong[::1], targets=cython.longlong[::1], running=cython.longlong, k=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(i=cython.longlong)
    cpdef void count_as(self, State state, double now, long long[::1] rows) except *
    @cython.locals(before=cython.longlong, shrinking=cython.longlong, sharers=cython.longlong[::1], targets=cython.longlong[::1], running=cython.longlong, left=cython.longlong, i=cython.longlong, own=cython.longlong, most=cython.longlong)
    cpdef bint reshape(self, State state, double now, long long[::1] rows) except -1

@cython.locals(i=cython.longlong, form=cython.longlong)
cdef bint _gives_back_at_once(State state) noexcept

@cython.locals(budget=cython.longlong, count=cython.longlong, sharers=cython.longlong[::1], n=cython.longlong, i=cython.longlong, row=cython.longlong, ordered=cython.longlong[::1], targets=cython.longlong[::1], running=cython.longlong, least=cython.longlong, place=cython.longlong)
cdef tuple _share(State state, Sharing rule, double now, long long[::1] rows)

cdef long long _place_from(State state, long long row, long long place, long long size) noexcept

@cython.locals(found=cython.longlong, i=cython.longlong, place=cython.longlong)
cdef long long _needed(State state, long long[::1] sharers, long long[::1] targets, long long size) noexcept

@cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong, best=cython.longlong, least=cython.longlong, i=cython.longlong, place=cython.longlong, size=cython.longlong)
cdef void _raise_equally(State state, long long[::1] sharers, long long[::1] targets, long long budget) noexcept

@cython.locals(turn=cython.longlong, i=cython.longlong, row=cython.longlong, place=cython.longlong, last=cython.longlong, size=cython.longlong)
cdef void _raise_in_turn(State state, long long[::1] sharers, long long[::1] targets, long long budget) noexcept

@cython.locals(i=cython.longlong)
cdef bint _shrink(State state, double now, long long[::1] sharers, long long[::1] targets) noexcept

@cython.locals(left=cython.longlong, k=cython.longlong, i=cython.longlong, row=cython.longlong, most=cython.longlong)
cdef long long _start(State state, double now, long long[::1] rows, long long[::1] targets) noexcept
