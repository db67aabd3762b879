cimport cython
from libc cimport math
from thinktime.models.engine cimport availability
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport profile
from thinktime.models.engine cimport situation as situation_kernel
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

cdef long long width(State state) noexcept

@cython.locals(j=cython.longlong)
cdef long long _split(long long size, long long i, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong)
cdef (long long, long long) _at(long long size, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, k=cython.longlong, i=cython.longlong, same=bint, j=cython.longlong)
cdef long long _merge(State state, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(window=cython.longlong, i_window=cython.longlong)
cdef bint _is_edge(State state, double time) noexcept

@cython.locals(size=cython.longlong, n=cython.longlong, window=cython.longlong, i_window=cython.longlong)
cdef long long window_profile(State state, double now, long long left, double[::1] times, long long[::1] free) noexcept

@cython.locals(begin=cython.double, end=cython.double, held=cython.longlong, size=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef long long _hold(State state, long long window, double now, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, processor=cython.longlong, first=cython.longlong, i=cython.longlong, i_processor=cython.longlong)
cdef long long _add_repairs(State state, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(n=cython.longlong)
cdef long long changing_idle_profile(State state, double now, double[::1] times, long long[::1] free) noexcept

@cython.locals(n=cython.longlong)
cdef long long changing_running_profile(State state, double now, long long skip, double[::1] times, long long[::1] free) noexcept

@cython.locals(n=cython.longlong, row=cython.longlong, end=cython.double, i_row=cython.longlong)
cdef long long without_windows(State state, double now, double[::1] times, long long[::1] free) noexcept

@cython.locals(window=cython.longlong, i_window=cython.longlong)
cdef long long include_windows(State state, long long first, long long stop, double now, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, k=cython.longlong, i=cython.longlong)
cdef long long changing_advance(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long changing_book(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long changing_send_off(State state, long long row, long long sign, bint suspends, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, need=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong, window=cython.longlong, place=cython.longlong, before=cython.longlong, i_window=cython.longlong)
cdef long long _change(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, found=cython.longlong, window=cython.longlong, place=cython.longlong, i_window=cython.longlong)
cdef long long _free_for(State state, long long row, long long i, double[::1] times, long long[::1] free) noexcept

@cython.locals(need=cython.longlong, i=cython.longlong, end=cython.double, j=cython.longlong)
cdef double _fit(State state, long long row, double duration, double before, double[::1] times, long long[::1] free, long long n) noexcept

cdef double changing_earliest(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef double earliest_fit(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(end=cython.double, i=cython.longlong)
cdef bint changing_fits_from_now(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong, end=cython.double)
cdef bint changing_fits_at(State state, long long row, double begin, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(duration=cython.double, start=cython.double)
cdef TimeAndCount changing_bring_forward(State state, long long row, double reserved, double reach, double[::1] tried, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(found=cython.longlong, i=cython.longlong)
cdef long long changing_left_now(State state, long long[::1] free) noexcept

@cython.locals(back=cython.longlong, size=cython.longlong, i=cython.longlong)
cdef long long changing_more_from(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long changing_step_at(State state, double time, double[::1] times, long long[::1] free, long long n) noexcept

cdef void changing_change_step(State state, long long i, long long sign, long long[:, ::1] kept, long long[::1] free) noexcept

cdef void copy_records(State state, double[::1] times, long long[::1] free, long long n, long long more, double[::1] to_times, long long[::1] to_free) noexcept
