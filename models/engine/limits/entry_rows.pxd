cimport cython
from thinktime.models.engine.machine_state cimport State


@cython.locals(first=cython.longlong, stop=cython.longlong)
cdef (long long, long long) entries_of(State state, long long row) noexcept

cdef bint stays(State state, long long row) noexcept

cpdef long long job_of(State state, long long row) noexcept

@cython.locals(taken=bint, other=cython.longlong, i=cython.longlong)
cdef bint is_taken(State state, long long row, long long k) noexcept

@cython.locals(job=cython.longlong)
cdef double eligible_since(State state, long long row) noexcept

cdef void copy_job(State state, long long row, long long entry) noexcept

@cython.locals(k=cython.longlong, i=cython.longlong, first=cython.longlong, stop=cython.longlong, row=cython.longlong)
cdef long long[::1] every_row(State state)
