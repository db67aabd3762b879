cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport room
from thinktime.models.engine cimport usage
from thinktime.models.engine.codes cimport agent as agent_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.usage cimport Usage

cdef double INFINITY
cdef double LARGEST

cdef class Agent(Rule):
    cdef public long long sees
    cdef public long long sees_running
    cdef public bint backfills
    cdef public bint may_idle
    cdef public long long answer
    cdef public long long chosen_count
    cdef public long long shown_count
    cdef public bint asked
    cdef public Usage accounts
    cdef public long long[::1] chosen
    cdef public long long[::1] shown
    cdef public double[::1] seen
    cdef public signed char[::1] allowed
    cdef public double[::1] standing
    @cython.locals(chosen=cython.longlong[::1], answer=cython.longlong, skip=cython.longlong, left=cython.longlong, i=cython.longlong, over=bint, row=cython.longlong, k=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cpdef void ended(self, State state, double now, long long[::1] rows) except *

cdef long long take(State state, long long row, long long left) noexcept

@cython.locals(queue=cython.longlong[::1], k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] behind(Agent rule, long long[::1] rows, long long head)

@cython.locals(found=bint, i=cython.longlong)
cdef bint is_chosen(Agent rule, long long row) noexcept

@cython.locals(n=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef void show(Agent rule, long long[::1] rows) noexcept

@cython.locals(shown=cython.longlong[::1], allowed=cython.schar[::1], found=bint, i=cython.longlong, fits=bint, idle=bint, row=cython.longlong, j=cython.longlong)
cdef bint worth_asking(State state, Agent rule, long long[::1] rows, long long left) noexcept

@cython.locals(seen=cython.double[::1], place=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef void look(State state, Agent rule, double now, long long left) noexcept

@cython.locals(seen=cython.double[::1], estimate=cython.double[::1], expected=cython.double[::1], scratch=cython.longlong[::1], started=cython.longlong, i=cython.longlong, j=cython.longlong, stop=cython.longlong, last=cython.longlong, ends_run=cython.double, row=cython.longlong, end=cython.double)
cdef void look_at_running(State state, Agent rule, double now, long long place) noexcept

cpdef void look_around(State state, Agent rule, double now, long long[::1] rows) noexcept

@cython.locals(accounts=Usage, i=cython.longlong)
cdef void charge_users(State state, Agent rule, double now, long long sign, long long[::1] rows) noexcept
