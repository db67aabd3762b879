cimport cython
from libc cimport math
from thinktime.models.engine cimport availability
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.structure cimport TimeAndCount
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Profiles

cdef double INFINITY

cdef long long steps(State state) noexcept

cdef long long idle_profile(State state, double now, double[::1] times, long long[::1] free) noexcept

cdef long long running_profile(State state, double now, long long skip, double[::1] times, long long[::1] free) noexcept

cdef long long advance(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long book(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

cdef double earliest(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(need=cython.longlong)
cdef bint fits_from_now(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(need=cython.longlong, duration=cython.double, notes=bint, since=cython.double, start=cython.double)
cdef TimeAndCount bring_forward(State state, long long row, double reserved, double reach, double[::1] tried, double[::1] times, long long[::1] free, long long n) noexcept

cdef bint begin_sweep(State state) noexcept

cdef bint crowds(State state) noexcept

@cython.locals(least=cython.longlong, row=cython.longlong, i_row=cython.longlong)
cdef long long narrowest(State state, long long[::1] rows) noexcept

cdef long long left_now(State state, long long[::1] free) noexcept

@cython.locals(i=cython.longlong, end=cython.double, need=cython.longlong)
cdef bint fits_at(State state, long long row, double begin, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef bint fits_as_reserved(State state, long long row, double begin, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long send_off(State state, long long row, long long sign, bint suspends, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long more_from(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

cdef class PoolProfiles(Profiles):
    cdef void add_processors(self, State state, long long row, long long[:, ::1] table) noexcept
    cdef long long places(self, State state) noexcept
    cdef long long step_at(self, State state, double time, double[::1] times, long long[::1] free, long long n) noexcept
    cdef void change_step(self, State state, long long i, long long sign, long long[:, ::1] kept, long long[::1] free) noexcept
    cdef long long width(self, State state) noexcept
    cdef void copy_profile(self, State state, double[::1] times, long long[::1] free, long long n, long long more, double[::1] to_times, long long[::1] to_free) noexcept
    cdef long long idle_profile(self, State state, double now, double[::1] times, long long[::1] free) noexcept
    cdef long long running_profile(self, State state, double now, long long skip, double[::1] times, long long[::1] free) noexcept
    cdef long long advance(self, State state, double now, double[::1] times, long long[::1] free, long long n) noexcept
    cdef long long book(self, State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept
    cdef double earliest(self, State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept
    cdef bint fits_from_now(self, State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept
    cdef TimeAndCount bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, double[::1] times, long long[::1] free, long long n) noexcept
    cdef bint begin_sweep(self, State state) noexcept
    cdef bint crowds(self, State state) noexcept
    cdef long long narrowest(self, State state, long long[::1] rows) noexcept
    cdef long long left_now(self, State state, long long[::1] free) noexcept
    cdef bint fits_at(self, State state, long long row, double begin, double duration, double[::1] times, long long[::1] free, long long n) noexcept
    cdef bint fits_as_reserved(self, State state, long long row, double begin, double[::1] times, long long[::1] free, long long n) noexcept
    cdef long long send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept
    cdef long long more_from(self, State state, double now, double[::1] times, long long[::1] free, long long n) noexcept
