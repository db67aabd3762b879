cimport cython
from libc cimport math
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport preempting as preempting_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Preempting(Rule):
    cdef public long long reservations
    cdef public long long how
    cdef public long long victims
    cdef public double grace
    cdef public double exempt
    cdef public Profile profile
    cdef public Profile trial
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(estimate=cython.double[::1], out=cython.longlong[::1], profile=Profile, reservations=cython.longlong, k=cython.longlong, head=cython.longlong, shadow=cython.double, tries=bint, row=cython.longlong, starts=bint, preempts=bint, start=cython.double, i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99

cdef bint tries_head(State state, long long reservations) noexcept

cdef bint tries_only_head(State state, long long reservations) noexcept

@cython.locals(duration=cython.double)
cdef void _book_head(State state, long long sign, long long head, double shadow, Profile profile) noexcept

@cython.locals(duration=cython.double, fitting=bint)
cdef bint _may_start(State state, double now, long long row, double time, long long head, double shadow, Profile profile) noexcept

@cython.locals(candidates=cython.longlong[::1], trial=Profile, time=cython.double, before=cython.longlong, taken=cython.longlong, enough=bint, i=cython.longlong, needless=bint, victim=cython.longlong, j=cython.longlong)
cdef bint _send_away(State state, Preempting rule, double now, long long row, long long head, double shadow) noexcept

@cython.locals(found=cython.longlong[::1], k=cython.longlong, lower=bint, other=cython.longlong, ran=cython.double, candidates=cython.longlong[::1], keys=cython.double[::1], i=cython.longlong, j=cython.longlong)
cdef long long[::1] _candidates(State state, Preempting rule, double now, long long row)

cpdef bint may_leave(State state, long long row, double now) noexcept

@cython.locals(time=cython.double)
cdef void _send_off(State state, Preempting rule, double now, long long victim, long long row) noexcept

cdef void _spare(State state, Preempting rule, double now, long long victim) noexcept

@cython.locals(begin=cython.double, end=cython.double, suspends=bint)
cdef void _leave(State state, Preempting rule, double now, long long victim, long long sign) noexcept
