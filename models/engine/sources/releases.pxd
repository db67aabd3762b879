cimport cython
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport Truth


cdef bint ask(Truth truth, double now, long long who) except -1

@cython.locals(due=cython.longlong[::1], place=cython.longlong)
cpdef void await_release(Truth truth, long long batch) noexcept

@cython.locals(due=cython.longlong[::1], last=cython.longlong, n=cython.longlong, place=cython.longlong, child=cython.longlong)
cdef void first_is_submitted(Truth truth) noexcept

@cython.locals(release=cython.double[::1], since=cython.double[::1], turn=cython.longlong[::1])
cdef bint _before(Truth truth, long long one, long long other) noexcept

cdef double next_on_grid(double time) noexcept

cdef void join(Truth truth, long long row) noexcept

cpdef bint count_down(Truth truth, long long watch) noexcept
