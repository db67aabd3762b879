cimport cython
from thinktime.models.engine.codes cimport gapped as gapped_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State


@cython.locals(n=cython.longlong, i=cython.longlong)
cpdef void note_running(State state, long long row) noexcept

@cython.locals(estimate=cython.double, i=cython.longlong, j=cython.longlong)
cdef void sort_by_estimate(State state, long long[::1] rows, long long count) noexcept

@cython.locals(i=cython.longlong, first=cython.longlong, stop=cython.longlong)
cpdef void sort_in(State state) noexcept

cpdef long long line_up(State state) noexcept

cdef void expect_later(State state, long long row, double end) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, place=cython.longlong)
cdef void leave_place(State state, long long row) noexcept

@cython.locals(row=cython.longlong)
cdef bint is_gap(State state, long long place) noexcept

@cython.locals(key=cython.double, low=cython.longlong, high=cython.longlong, middle=cython.longlong, other=cython.longlong)
cdef long long _position(State state, long long row, long long first, long long stop) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, i=cython.longlong, gap=cython.longlong, step=cython.longlong, j=cython.longlong)
cdef void _insert(State state, long long row) noexcept

@cython.locals(size=cython.longlong, reach=cython.longlong, distance=cython.longlong, right=cython.longlong, left=cython.longlong)
cdef (long long, long long) _nearest(State state, long long i, long long first, long long stop) noexcept

@cython.locals(rows=cython.longlong[::1], keys=cython.double[::1], n=cython.longlong, i=cython.longlong)
cdef long long _close_gaps(State state) noexcept

@cython.locals(rows=cython.longlong[::1], keys=cython.double[::1], n=cython.longlong, size=cython.longlong, until=cython.longlong, i=cython.longlong, row=cython.longlong, key=cython.double, place=cython.longlong, j=cython.longlong)
cdef void _spread(State state) noexcept
