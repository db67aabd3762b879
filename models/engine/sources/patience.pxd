from thinktime.models.engine cimport arithmetic
cimport cython
from libc cimport math
from thinktime.models.engine cimport pool
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources

cdef double INFINITY

cdef bint has_run(State state, long long row) noexcept

cdef bint has_run_before(State state, long long row) noexcept

@cython.locals(time=cython.double, row=cython.longlong, leaves=cython.double, i=cython.longlong, rows_here=cython.longlong[::1])
cpdef double next_leaving(State state, Truth truth) noexcept

@cython.locals(rows=cython.longlong[::1], k=cython.longlong, row=cython.longlong, place=cython.longlong, i=cython.longlong, rows_here=cython.longlong[::1])
cdef long long[::1] out_of_patience(State state, Truth truth, double now)

@cython.locals(rows=cython.longlong[::1], row=cython.longlong, i=cython.longlong)
cdef bint leave_impatiently(State state, Truth truth, Rule rule, Sources sources, double now) except -1
