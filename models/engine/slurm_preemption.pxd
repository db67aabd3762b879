cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine.codes cimport slurm_preemption as slurm_preemption_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

cdef bint preempts(State state) noexcept

cdef bint changing_preempts(State state) noexcept

cdef double number_of(State state, long long row, long long what) noexcept

cdef long long _class_count(State state) noexcept

cdef bint may_preempt(State state, long long row, long long other) noexcept

cdef bint is_suspended(State state, long long row) noexcept

cdef bint changing_is_suspended(State state, long long row) noexcept

cdef double next_candidate(State state, double now, long long[::1] rows, long long[::1] started) noexcept

@cython.locals(classes=cython.longlong, time=cython.double, waiting=cython.longlong[::1], starts=cython.double[::1], example=cython.longlong[::1], row=cython.longlong, c=cython.longlong, d=cython.longlong, until=cython.double, i=cython.longlong)
cdef double changing_next_candidate(State state, double now, long long[::1] rows, long long[::1] started) noexcept

@cython.locals(classes=cython.longlong, n=cython.longlong, k=cython.longlong, spare=Spare, order=cython.longlong[::1], left=cython.longlong[::1], following=cython.longlong[::1], head=cython.longlong[::1], last=cython.longlong[::1], row=cython.longlong, i=cython.longlong, c=cython.longlong, chosen=cython.longlong, free=bint, blocked=bint, d=cython.longlong, j=cython.longlong)
cdef long long[::1] preemptors_first(State state, long long[::1] rows)
