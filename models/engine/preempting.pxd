cimport cython
from libc cimport math
from thinktime.models.engine cimport clearing
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport profile
from thinktime.models.engine cimport situation as situation_kernel
from thinktime.models.engine cimport trials
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport preempting as preempting_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Preempting(Rule):
    cdef public long long[::1] options
    cdef public double[::1] seconds
    cdef public double[::1] times
    cdef public long long[::1] free
    cdef public double[::1] trial_times
    cdef public long long[::1] trial_free
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(estimate=cython.double[::1], out=cython.longlong[::1], times=cython.double[::1], free=cython.longlong[::1], reservations=cython.longlong, k=cython.longlong, head=cython.longlong, shadow=cython.double, tries=bint, n=cython.longlong, row=cython.longlong, starts=bint, preempts=bint, start=cython.double, i_row=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99

cdef bint tries_head(State state, long long reservations) noexcept

cdef bint tries_only_head(State state, long long reservations) noexcept

@cython.locals(duration=cython.double)
cdef long long _book_head(State state, long long sign, long long head, double shadow, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(duration=cython.double, fitting=bint)
cdef (bint, long long) _may_start(State state, double now, long long row, double time, long long head, double shadow, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(candidates=cython.longlong[::1], times=cython.double[::1], free=cython.longlong[::1], time=cython.double, before=cython.longlong, length=cython.longlong, taken=cython.longlong, enough=bint, i=cython.longlong, needless=bint, victim=cython.longlong, i_victim=cython.longlong)
cdef (bint, long long) _send_away(State state, Preempting rule, double now, long long row, long long head, double shadow, long long n) noexcept

@cython.locals(found=cython.longlong[::1], k=cython.longlong, lower=bint, other=cython.longlong, ran=cython.double, candidates=cython.longlong[::1], keys=cython.double[::1], i=cython.longlong, i_other=cython.longlong)
cdef long long[::1] _candidates(State state, Preempting rule, double now, long long row)

cpdef bint may_leave(State state, long long row, double now) noexcept

@cython.locals(times=cython.double[::1], free=cython.longlong[::1], time=cython.double)
cdef long long _send_off(State state, Preempting rule, double now, long long victim, long long row, long long n) noexcept

@cython.locals(times=cython.double[::1], free=cython.longlong[::1])
cdef long long _spare(State state, Preempting rule, double now, long long victim, long long n) noexcept

@cython.locals(begin=cython.double, end=cython.double, suspends=bint)
cdef long long _leave(State state, Preempting rule, double now, long long victim, long long sign, long long n) noexcept
