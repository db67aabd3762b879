cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport runs as runs_codes
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY
cdef double LEAST

cdef double length_with_checkpoints(State state, long long row, double whole) noexcept

cdef double length(State state, long long row, double work) noexcept

cdef double with_checkpoints(State state, long long row, double worked) noexcept

@cython.locals(begin=cython.double)
cdef (double, double) end_of_run(State state, Truth truth, long long row, double now) noexcept

@cython.locals(work=cython.double, limit=cython.double, whole=cython.double)
cdef (double, double) end_of_stage(State state, Truth truth, long long row, double begin) noexcept

cdef double stage(State state, long long row, double work, double rate) noexcept

cdef void credit(State state, Truth truth, long long row, double progress) noexcept

cpdef void plan_run(State state, long long row) noexcept

@cython.locals(i=cython.longlong, entry=cython.longlong, row=cython.longlong)
cdef void plan_entries(State state) noexcept

@cython.locals(passed=cython.double, overhead=cython.double, worked=cython.double, interval=cython.double, whole=cython.double, limit=cython.double, pieces=cython.double, progress=cython.double, rest=cython.double)
cdef (double, double, double) account(State state, Truth truth, long long row, double now, long long how) noexcept
