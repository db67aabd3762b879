cimport cython
from libc cimport math
from thinktime.models.engine cimport shapes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport shapes as codes
from thinktime.models.engine.limits cimport budgets
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

@cython.locals(first=cython.longlong, place=cython.longlong)
cdef void choose_fixed(State state, long long row, long long size) noexcept

cdef bint keeps_within(State state, double now, long long row) noexcept

@cython.locals(first=cython.longlong, last=cython.longlong, place=cython.longlong, both=cython.longlong)
cdef long long starting_place(State state, long long row, long long size) noexcept

@cython.locals(left=cython.longlong, k=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef void choose_largest(State state, double now, long long[::1] rows, bint strict) noexcept

@cython.locals(first=cython.longlong, place=cython.longlong)
cdef bint choose_fitting(State state, double now, long long row, long long most, long long left) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong, best=cython.longlong, end=cython.double, place=cython.longlong, duration=cython.double, start=cython.double)
cdef void choose_earliest(State state, double now, long long[::1] rows, Profile profile) noexcept

@cython.locals(duration=cython.double, start=cython.double)
cdef void book_earliest(State state, long long row, Profile profile) noexcept
