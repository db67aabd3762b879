cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport budgets as budget_codes
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY
cdef double ENDLESS
cdef double ROUNDED

@cython.locals(low=cython.longlong, high=cython.longlong, lines=cython.double[::1], middle=cython.longlong, line=cython.longlong, passed=cython.double)
cdef double clock_at(State state, long long k, double time) noexcept

@cython.locals(found=cython.double, endless=bint, width=cython.longlong, k=cython.longlong, weight=cython.double)
cdef double charge(State state, long long row, long long size, double begin, double end) noexcept

@cython.locals(once=cython.double, begin=cython.double, end=cython.double)
cdef void price(State state, long long row) noexcept

cdef void end_stage(State state, long long row, double now) noexcept

@cython.locals(before=cython.double, wanted=cython.double)
cdef void renew(State state, long long row) noexcept

@cython.locals(account=cython.longlong, left=cython.double, extra=cython.double)
cdef bint may_grow(State state, long long row, long long more, double until, double now) noexcept

cdef void count_growth(State state, long long row, long long more, double until, double now) noexcept

cdef void count_no_growth(State state, long long row) noexcept

@cython.locals(size=cython.longlong, stages=cython.double)
cdef double _extra(State state, long long row, long long more, double until, double now) noexcept

cdef double _before(State state, long long row) noexcept

@cython.locals(size=cython.longlong, begin=cython.double, end=cython.double, then=cython.double, smaller=cython.longlong)
cdef double _of_stage(State state, long long row) noexcept
