cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY
cdef double FAR
cdef long long[:, ::1] NO_PLACES

@cython.locals(n=cython.longlong, end=cython.double, k=cython.longlong)
cdef (long long, long long) _fit(long long i, long long need, double duration, Profile profile) noexcept

cdef long long[:, ::1] kept_places(State state, long long[::1] rows)

@cython.locals(lines=cython.longlong, kept=cython.longlong[:, ::1], k=cython.longlong, row=cython.longlong, begin=cython.longlong, size=cython.longlong, i=cython.longlong)
cdef long long[:, ::1] nodes_kept_places(State state, long long[::1] rows)

cdef long long[:, ::1] kept_place(State state, long long row)

@cython.locals(begin=cython.longlong, size=cython.longlong, kept=cython.longlong[:, ::1])
cdef long long[:, ::1] nodes_kept_place(State state, long long row)

@cython.locals(begin=cython.longlong, size=cython.longlong)
cdef void plan_one_again(State state, long long row, long long[:, ::1] kept) noexcept

cdef void plan_again(State state, long long[::1] rows, long long[:, ::1] kept) noexcept

@cython.locals(k=cython.longlong, row=cython.longlong, begin=cython.longlong, size=cython.longlong, i=cython.longlong)
cdef void nodes_plan_again(State state, long long[::1] rows, long long[:, ::1] kept) noexcept

cdef bint hold_each_other_up(State state) noexcept

cdef bint nodes_hold_each_other_up(State state) noexcept

@cython.locals(shape=cython.longlong)
cdef double first_chance(State state, long long row, double duration, Profile profile) noexcept

@cython.locals(start=cython.double, i=cython.longlong, k=cython.longlong, end=cython.double, m=cython.longlong)
cdef (double, long long, long long) put(State state, long long row, double since, double duration, Profile profile) noexcept

@cython.locals(m=cython.longlong)
cdef void take_back(State state, long long row, double start, double duration, long long i, long long k, bint made, Profile profile) noexcept
