cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport changing_profile
from thinktime.models.engine cimport node_profile
from thinktime.models.engine cimport nodes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY
cdef double FAR
cdef long long[:, ::1] NO_PLACES

@cython.locals(end=cython.double, k=cython.longlong)
cdef (long long, long long) _fit(long long i, long long need, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef void number(State state, long long[::1] free, long long steps) noexcept

@cython.locals(size=cython.longlong, i=cython.longlong)
cdef void nodes_number(State state, long long[::1] free, long long steps) noexcept

cdef void copy_steps(State state, double[::1] times, long long[::1] free, long long n, double[::1] to_times, long long[::1] to_free) noexcept

cdef void processors_copy_steps(State state, double[::1] times, long long[::1] free, long long n, double[::1] to_times, long long[::1] to_free) noexcept

@cython.locals(i=cython.longlong)
cdef void nodes_copy_steps(State state, double[::1] times, long long[::1] free, long long n, double[::1] to_times, long long[::1] to_free) noexcept

@cython.locals(numbers=cython.longlong)
cdef void changing_copy_steps(State state, double[::1] times, long long[::1] free, long long n, double[::1] to_times, long long[::1] to_free) noexcept

cdef long long[:, ::1] kept_places(State state, long long[::1] rows)

@cython.locals(lines=cython.longlong, kept=cython.longlong[:, ::1], k=cython.longlong, row=cython.longlong, begin=cython.longlong, size=cython.longlong, i=cython.longlong)
cdef long long[:, ::1] nodes_kept_places(State state, long long[::1] rows)

cdef void plan_again(State state, long long[::1] rows, long long[:, ::1] kept) noexcept

@cython.locals(k=cython.longlong, row=cython.longlong, begin=cython.longlong, size=cython.longlong, i=cython.longlong)
cdef void nodes_plan_again(State state, long long[::1] rows, long long[:, ::1] kept) noexcept

cdef bint hold_each_other_up(State state) noexcept

cdef bint nodes_hold_each_other_up(State state) noexcept

cdef double first_chance(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong, _=cython.longlong)
cdef double processors_first_chance(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef double nodes_first_chance(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef double changing_first_chance(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef (double, long long, long long, long long) put(State state, long long row, double since, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(need=cython.longlong, i=cython.longlong, k=cython.longlong, end=cython.double, m=cython.longlong)
cdef (double, long long, long long, long long) processors_put(State state, long long row, double since, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(start=cython.double)
cdef (double, long long, long long, long long) nodes_put(State state, long long row, double since, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(start=cython.double)
cdef (double, long long, long long, long long) changing_put(State state, long long row, double since, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long take_back(State state, long long row, double start, double duration, long long i, long long k, bint made, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(need=cython.longlong, m=cython.longlong)
cdef long long processors_take_back(State state, long long row, double start, double duration, long long i, long long k, bint made, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long nodes_take_back(State state, long long row, double start, double duration, long long i, long long k, bint made, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long changing_take_back(State state, long long row, double start, double duration, long long i, long long k, bint made, double[::1] times, long long[::1] free, long long n) noexcept
