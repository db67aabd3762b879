cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

cdef bint ask(Truth truth, double now, long long who) except -1

cpdef void await_release(Truth truth, long long batch) noexcept

cpdef void move(Truth truth, long long batch) noexcept

@cython.locals(place=cython.longlong, last=cython.longlong)
cdef void withdraw(Truth truth, long long batch) noexcept

cdef void _put(Truth truth, long long batch, long long place) noexcept

@cython.locals(due=cython.longlong[::1], spot=cython.longlong[::1])
cdef void _rise(Truth truth, long long batch, long long place) noexcept

@cython.locals(due=cython.longlong[::1], spot=cython.longlong[::1], n=cython.longlong, child=cython.longlong)
cdef void _sink(Truth truth, long long batch, long long place) noexcept

cdef void _find_next(Truth truth) noexcept

cpdef double next_submission(Truth truth) noexcept

@cython.locals(release=cython.double[::1], since=cython.double[::1], turn=cython.longlong[::1])
cdef bint _before(Truth truth, long long one, long long other) noexcept

cdef double next_on_grid(double time) noexcept

cdef void join(Truth truth, long long row) noexcept

cpdef bint count_down(Truth truth, long long watch) noexcept
