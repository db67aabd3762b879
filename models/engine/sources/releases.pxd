cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.sources cimport foretold
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY, FAR

cdef bint ask(Truth truth, double now, long long who) except -1

cpdef void await_release(Truth truth, long long batch) noexcept

cpdef void move(Truth truth, long long batch) noexcept

cdef void withdraw(Truth truth, long long batch) noexcept

cpdef void look_past(Truth truth, long long batch, double time) noexcept

cdef void _look_further(Truth truth, long long batch, double until) noexcept

@cython.locals(place=cython.longlong, last=cython.longlong)
cdef void _take_out(Truth truth, long long batch) noexcept

cdef void _put(Truth truth, long long batch, long long place) noexcept

@cython.locals(release=cython.double, above=cython.longlong)
cdef void _rise(Truth truth, long long batch, long long place) noexcept

@cython.locals(release=cython.double, n=cython.longlong, child=cython.longlong, second=cython.longlong)
cdef void _sink(Truth truth, long long batch, long long place) noexcept

@cython.locals(batch=cython.longlong, second=cython.double, place=cython.longlong)
cdef void _find_next(Truth truth) noexcept

cpdef double next_submission(Truth truth) noexcept

cdef bint _before(Truth truth, long long one, long long other) noexcept

cdef double next_on_grid(double time) noexcept

cdef void join(Truth truth, long long row) noexcept

cpdef bint count_down(Truth truth, long long watch) noexcept
