cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Profiles
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rooms cimport trials

cdef double INFINITY

cdef long long draw_of(State state, long long row) noexcept

cdef Profile power_of(Profile profile)

@cython.locals(free=cython.longlong, stop=cython.longlong, i=cython.longlong, row=cython.longlong, end=cython.double, less=cython.longlong)
cdef void running_power(State state, double now, long long skip, Profile own) noexcept

@cython.locals(i=cython.longlong, window=cython.longlong)
cdef void withhold(State state, long long first, long long stop, double now, Profile own) noexcept

cdef class CappedProfiles(Profiles):
    cdef public Profiles inner
    @cython.locals(own=Profile, draw=cython.longlong, later=cython.double)
    cdef double _agreed(self, State state, long long row, double duration, double start, Profile profile) noexcept
    cdef void add_processors(self, State state, long long row, long long[:, ::1] table) noexcept
    cdef long long places(self, State state) noexcept
    cdef long long width(self, State state) noexcept
    cdef void step_at(self, State state, double time, Profile profile) noexcept
    cdef void change_step(self, State state, long long i, long long sign, long long[:, ::1] kept, Profile profile) noexcept
    cdef void copy_profile(self, State state, Profile profile, Profile to) noexcept
    @cython.locals(own=Profile)
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef void without_windows(self, State state, double now, Profile profile) noexcept
    cdef void include_windows(self, State state, long long first, long long stop, double now, Profile profile) noexcept
    cdef void advance(self, State state, double now, Profile profile) noexcept
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(start=cython.double)
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(fitting=bint)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(fitting=bint)
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    @cython.locals(fitting=bint)
    cdef bint fits_as_reserved(self, State state, long long row, double begin, Profile profile) noexcept
    cdef bint part_holds(self, State state, long long part, double begin, double end, Profile profile) noexcept
    @cython.locals(duration=cython.double, draw=cython.longlong, planned=cython.longlong[:, ::1], start=cython.double)
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    cdef bint begin_sweep(self, State state) noexcept
    cdef bint crowds(self, State state) noexcept
    cdef long long narrowest(self, State state, long long[::1] rows) noexcept
    cdef long long left_now(self, State state, Profile profile) noexcept
    cdef void send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, Profile profile) noexcept
    cdef void more_from(self, State state, double now, Profile profile) noexcept
