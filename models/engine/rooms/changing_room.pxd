cimport cython
from libc cimport math
from thinktime.models.engine.rooms cimport changing_profile
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport situation
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY
cdef double FIRST

cdef long long begin_beside_windows(State state, long long skip) noexcept

@cython.locals(left=cython.longlong, window=cython.longlong, nobody=bint, i=cython.longlong)
cpdef long long left_for_anybody(State state) noexcept

cdef void rewind_beside_windows(State state, long long[::1] rows) noexcept

@cython.locals(undisturbed=bint)
cdef bint fits_beside_windows(State state, long long row, long long left) noexcept

cdef bint proposed_fits_beside_windows(State state, long long row, long long left) noexcept

@cython.locals(duration=cython.double)
cdef bint _fits_in_profile(State state, long long row) noexcept

@cython.locals(profile=Profile, now=cython.double, row=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef void _look(State state, double until) noexcept

@cython.locals(duration=cython.double, until=cython.double, start=cython.double, profile=Profile)
cdef double _reserve(State state, long long row) noexcept

cdef double head_start_beside_windows(State state, double now, long long head, long long started, long long skip, long long left) noexcept

@cython.locals(now=cython.double, end=cython.double)
cdef void _book(State state, long long row) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong, need=cython.longlong)
cdef long long take_beside_windows(State state, long long row, long long left) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef bint fits_as_planned_beside_windows(State state, long long row, long long left) noexcept

cdef bint possible_at_any_time(State state, long long row) noexcept

@cython.locals(keys=cython.double[::1], ranked=cython.longlong, i=cython.longlong)
cdef long long[::1] admitted_before_others(State state, long long[::1] rows)

cdef bint has_news_of_changes(State state) noexcept

cdef bint has_run_before(State state, long long row) noexcept

@cython.locals(begin=cython.longlong, shadow=cython.double, later=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long backfill_beside_windows(State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept

@cython.locals(found=bint, row=cython.longlong, i=cython.longlong)
cdef bint _any_fits(State state, long long[::1] rows, long long left) noexcept

cdef long long what_windows_leave(State state, long long first, double now) noexcept

cdef bint has_room_now(State state, long long row, long long left) noexcept

cdef void rewind_all(State state) noexcept
