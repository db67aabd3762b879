cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport profile
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Profiles
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef class PoolProfiles(Profiles):
    cdef void add_processors(self, State state, long long row, long long[:, ::1] table) noexcept
    cdef long long places(self, State state) noexcept
    cdef long long width(self, State state) noexcept
    cdef void step_at(self, State state, double time, Profile profile) noexcept
    cdef void change_step(self, State state, long long i, long long sign, long long[:, ::1] kept, Profile profile) noexcept
    cdef void copy_profile(self, State state, Profile profile, Profile to) noexcept
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef void advance(self, State state, double now, Profile profile) noexcept
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(need=cython.longlong)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    cdef bint fits_as_reserved(self, State state, long long row, double begin, Profile profile) noexcept
    cdef bint part_holds(self, State state, long long part, double begin, double end, Profile profile) noexcept
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    cdef bint begin_sweep(self, State state) noexcept
    cdef bint crowds(self, State state) noexcept
    @cython.locals(least=cython.longlong, row=cython.longlong, i=cython.longlong)
    cdef long long narrowest(self, State state, long long[::1] rows) noexcept
    cdef long long left_now(self, State state, Profile profile) noexcept
    cdef void send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, Profile profile) noexcept
    cdef void more_from(self, State state, double now, Profile profile) noexcept

@cython.locals(notes=bint, since=cython.double, start=cython.double)
cdef double bring_forward(long long need, double duration, double reserved, double reach, double[::1] tried, Profile own) noexcept
