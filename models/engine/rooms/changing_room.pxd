cimport cython
from libc cimport math
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine cimport gaps
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport situation
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rooms.pool_room cimport PoolRoom

cdef double INFINITY
cdef double FIRST

@cython.locals(left=cython.longlong, window=cython.longlong, nobody=bint, i=cython.longlong)
cpdef long long left_for_anybody(State state) noexcept

@cython.locals(duration=cython.double)
cdef bint _fits_in_profile(State state, long long row) noexcept

@cython.locals(profile=Profile, now=cython.double, row=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef void _look(State state, double until) noexcept

@cython.locals(duration=cython.double, until=cython.double, start=cython.double, profile=Profile)
cdef double _reserve(State state, long long row) noexcept

@cython.locals(now=cython.double, end=cython.double)
cdef void _book(State state, long long row) noexcept

@cython.locals(keys=cython.double[::1], ranked=cython.longlong, i=cython.longlong)
cdef long long[::1] admitted_before_others(State state, long long[::1] rows)

@cython.locals(found=bint, row=cython.longlong, i=cython.longlong)
cdef bint _any_fits(State state, long long[::1] rows, long long left) noexcept

cdef class ChangingRoom(PoolRoom):
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    cdef void give_up(self, State state, long long row, long long place, long long[::1] gone) noexcept
    cdef long long lost(self, State state, long long row, long long[::1] gone) noexcept
    cdef void resize(self, State state, long long row, long long place) noexcept
    cdef double run_length(self, State state, long long row, double work) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    @cython.locals(begin=cython.longlong, shadow=cython.double, later=cython.longlong, row=cython.longlong, i=cython.longlong)
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    @cython.locals(undisturbed=bint)
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    @cython.locals(window=cython.longlong, i=cython.longlong)
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    cdef bint proposed_fits(self, State state, long long row, long long left) noexcept
    @cython.locals(window=cython.longlong, i=cython.longlong, need=cython.longlong)
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef bint possible(self, State state, long long row) noexcept
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept
