cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport budgets as budget_codes
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY

@cython.locals(varies=bint)
cdef bint is_due(State state, double now) noexcept

@cython.locals(owner=cython.longlong)
cdef bint is_within(State state, long long row) noexcept

cdef bint keeps_back(State state, long long row) noexcept

cdef bint falls(State state, long long row) noexcept

@cython.locals(before=cython.longlong)
cdef bint rank(State state, long long row) noexcept

cdef bint is_beyond(State state, long long row) noexcept

cdef bint is_refused(State state, long long row) noexcept

cpdef double opening(State state, long long row) noexcept

cdef void count_start(State state, long long row) noexcept

cdef void count_no_start(State state, long long row) noexcept

@cython.locals(owner=cython.longlong)
cdef void reserve(State state, long long row) noexcept

@cython.locals(n=cython.longlong)
cdef void end_run(State state, long long row, double now) noexcept

@cython.locals(width=cython.longlong, k=cython.longlong)
cdef void count_as(State state, long long row, long long entry) noexcept
