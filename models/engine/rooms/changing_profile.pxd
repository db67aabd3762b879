cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms.pool_profile cimport PoolProfiles
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef long long width(State state) noexcept

@cython.locals(size=cython.longlong, k=cython.longlong, i=cython.longlong, same=bint, j=cython.longlong)
cdef void _merge(State state, Profile profile) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef bint _is_edge(State state, double time) noexcept

@cython.locals(j=cython.longlong)
cdef void window_profile(State state, double now, long long left, Profile profile) noexcept

@cython.locals(begin=cython.double, end=cython.double, held=cython.longlong, size=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef void _hold(State state, long long window, double now, Profile profile) noexcept

@cython.locals(processor=cython.longlong, first=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void _add_repairs(State state, Profile profile) noexcept

cdef void idle_profile(State state, double now, Profile profile) noexcept

cdef void running_profile(State state, double now, Profile profile) noexcept

@cython.locals(row=cython.longlong, end=cython.double, i=cython.longlong, rest=cython.longlong, running=cython.longlong[::1])
cdef void without_windows(State state, double now, Profile profile) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef void include_windows(State state, long long first, long long stop, double now, Profile profile) noexcept

@cython.locals(i=cython.longlong)
cdef void more_from(State state, Profile profile) noexcept

@cython.locals(size=cython.longlong, need=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong, window=cython.longlong, place=cython.longlong, before=cython.longlong, j=cython.longlong)
cdef void change(State state, long long row, long long sign, double begin, double end, Profile profile) noexcept

@cython.locals(size=cython.longlong, found=cython.longlong, window=cython.longlong, place=cython.longlong, j=cython.longlong)
cdef long long _free_for(State state, long long row, long long i, Profile profile) noexcept

@cython.locals(need=cython.longlong, i=cython.longlong, n=cython.longlong, end=cython.double, j=cython.longlong)
cdef double earliest_fit(State state, long long row, double duration, double since, Profile profile) noexcept

cdef class ChangingProfiles(PoolProfiles):
    cdef long long width(self, State state) noexcept
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef void without_windows(self, State state, double now, Profile profile) noexcept
    cdef void include_windows(self, State state, long long first, long long stop, double now, Profile profile) noexcept
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    cdef void send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(own=Profile, end=cython.double, i=cython.longlong)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(own=Profile, end=cython.double, i=cython.longlong)
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    @cython.locals(duration=cython.double, start=cython.double)
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    @cython.locals(found=cython.longlong, j=cython.longlong)
    cdef long long left_now(self, State state, Profile profile) noexcept
    cdef void more_from(self, State state, double now, Profile profile) noexcept
