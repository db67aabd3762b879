cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport runs as runs_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY
cdef double LEAST

cdef double length_with_checkpoints(State state, long long row, double whole) noexcept

@cython.locals(total=cython.double)
cdef double length(State state, long long row, double work) noexcept

cpdef void plan_run(State state, long long row) noexcept

@cython.locals(passed=cython.double, overhead=cython.double, worked=cython.double, interval=cython.double, whole=cython.double, pieces=cython.double, progress=cython.double, rest=cython.double)
cdef (double, double, double) account(State state, Truth truth, long long row, double now, long long how) noexcept
