cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport passes as passes_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.structure cimport CountAndTime, TimeAndCount
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Greedy(Rule):
    cdef public long long code
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cdef bint passes_over(self, State state) noexcept
    @cython.locals(skip=cython.longlong, k=cython.longlong, left=cython.longlong, shadow=cython.double)
    cdef CountAndTime reserve_first(self, State state, double now, long long[::1] rows) noexcept

@cython.locals(skip=cython.longlong, left=cython.longlong, k=cython.longlong)
cdef long long greedy_pass(State state, long long which, double now, long long[::1] rows) noexcept

@cython.locals(k=cython.longlong)
cdef (long long, long long) strict_pass(State state, long long[::1] queue, long long left) noexcept

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long no_guarantee_pass(State state, long long[::1] queue, long long[::1] out, long long left) noexcept

@cython.locals(estimate=cython.double[::1], out=cython.longlong[::1], row=cython.longlong, start=cython.double, i=cython.longlong)
cdef long long start_beside(State state, double now, long long[::1] queue, long long k, long long reservations, long long least, Profile profile) noexcept

@cython.locals(head=cython.longlong, started=cython.longlong, i=cython.longlong, row=cython.longlong, late=bint, shadow=cython.double, later=cython.longlong)
cdef long long backfill(State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept

cdef TimeAndCount last_shadow(State state) noexcept

@cython.locals(shadow=cython.double, _=cython.longlong)
cdef double head_start(State state, double now, long long head, long long started, long long skip, long long left) noexcept

@cython.locals(estimate=cython.double[::1], expected=cython.double[::1], running=cython.longlong[::1], scratch=cython.longlong[::1], earliest=cython.double, i=cython.longlong, j=cython.longlong, stop=cython.longlong, ends_run=cython.double, ends_new=cython.double, time=cython.double)
cdef TimeAndCount shadow_time(State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
