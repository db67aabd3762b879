cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport true_ends
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport pool as pool_codes
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY


@cython.locals(k=cython.longlong, row=cython.longlong)
cpdef long long finish_due(State state, Truth truth, double now) noexcept

cpdef void end_now(State state, Truth truth, double now, long long row, long long how) noexcept

@cython.locals(true_end=cython.double)
cpdef void prolong(State state, Truth truth, long long row, double until) noexcept

@cython.locals(k=cython.longlong, away=cython.longlong, place=cython.longlong, row=cython.longlong, can_run=bint, i=cython.longlong, queued=cython.longlong, j=cython.longlong)
cpdef long long enqueue(State state, Truth truth, double now) noexcept

@cython.locals(rows=cython.longlong[::1])
cdef long long[::1] queue_of(State state)

@cython.locals(head=cython.longlong, stop=cython.longlong, i=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong, other=cython.longlong)
cdef void _join_queue(State state, long long row, bint back) noexcept

cdef bint _behind(State state, long long other, long long row) noexcept

@cython.locals(head=cython.longlong, stop=cython.longlong, last=cython.longlong, found=cython.longlong, place=cython.longlong, i=cython.longlong, row=cython.longlong)
cpdef void leave_queue(State state, long long left) noexcept

@cython.locals(i=cython.longlong)
cdef void _move_up(State state, long long first, long long stop, long long by) noexcept

@cython.locals(i=cython.longlong)
cdef void _move_back(State state, long long first, long long stop, long long by) noexcept

@cython.locals(code=cython.schar[::1], fault=cython.longlong, checked=cython.longlong, left=cython.longlong, i=cython.longlong, row=cython.longlong)
cpdef long long verdict(State state, double now, long long[::1] rows) noexcept

@cython.locals(overrun=cython.longlong, k=cython.longlong, row=cython.longlong, victim=cython.longlong, killed=bint, work=cython.double, end=cython.double, whole=cython.double, limit=cython.double, i=cython.longlong)
cpdef long long start_rows(State state, Truth truth, double now, long long[::1] rows) noexcept

cdef void set_end(State state, Truth truth, long long row, double whole, double limit) noexcept

@cython.locals(sweeps=cython.double)
cdef double ended_at(State state, double limit) noexcept

@cython.locals(i=cython.longlong, victim=cython.longlong)
cdef long long _longest_overrun(State state, long long row) noexcept
