cimport cython
from libc cimport math
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine cimport gapped
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport room
from thinktime.models.policies.slurm cimport counts as slurm_counts
from thinktime.models.policies.slurm cimport misfits as slurm_misfits
from thinktime.models.policies.slurm cimport partitions as slurm_partitions
from thinktime.models.policies.slurm cimport plan as slurm_plan
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.policies.slurm cimport victims as slurm_victims
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport slurm_victims as slurm_victims_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.policies.slurm.memory cimport SlurmMemory
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY
cdef double STEP
cdef double UNKNOWN

cdef class Slurm(SlurmMemory):
    @cython.locals(skip=cython.longlong, k=cython.longlong, main=cython.longlong, over=bint, interval=cython.double, backfills=bint, edge=cython.double)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    cdef double next_due(self, State state, double now) noexcept

@cython.locals(ahead=bint, row=cython.longlong, i=cython.longlong)
cdef double _next_tick(State state, SlurmMemory rule, double now, long long waiting, long long starting) noexcept

@cython.locals(left=cython.longlong, out=cython.longlong[::1], k=cython.longlong, some=bint, looked=cython.longlong, closed=cython.longlong[::1], depth=cython.longlong, places=cython.longlong[::1], of_partition=cython.longlong[::1], i=cython.longlong, row=cython.longlong)
cdef long long _main_pass(State state, SlurmMemory rule, double now, long long[::1] rows, long long skip) noexcept

@cython.locals(profile=Profile, out=cython.longlong[::1], k=cython.longlong, looked=cython.longlong, closed=cython.longlong[::1], depth=cython.longlong, places=cython.longlong[::1], of_partition=cython.longlong[::1], i=cython.longlong, row=cython.longlong, aside=bint, length=cython.double, what=cython.longlong)
cdef (long long, bint) _preempting_main_pass(State state, SlurmMemory rule, double now, long long[::1] rows, long long skip) noexcept

@cython.locals(length=cython.double)
cdef long long _depth(SlurmMemory rule, double now) noexcept

cdef bint _is_passed_over(SlurmMemory rule, double now, long long[::1] places, long long[::1] of_partition, long long i) noexcept

@cython.locals(length=cython.double)
cdef void _look_again(SlurmMemory rule, double now) noexcept

@cython.locals(running=cython.longlong[::1], expected=cython.double[::1], own=cython.double[::1], i=cython.longlong)
cdef long long _backfill_pass(State state, SlurmMemory rule, double now, long long[::1] rows, long long k, long long skip, double edge) noexcept

@cython.locals(profile=Profile, estimate=cython.double[::1], out=cython.longlong[::1], main=cython.longlong, tested=cython.longlong, m=cython.longlong, reserved=cython.longlong[::1], begins=cython.double[::1], ends=cython.double[::1], of_partition=cython.longlong[::1], numbers=cython.longlong[::1], counts=cython.longlong[::1], spare=Spare, size=cython.longlong, before=cython.longlong, least=cython.longlong, passed=cython.longlong, left_out=bint, i=cython.longlong, row=cython.longlong, cut=bint, length=cython.double, start=cython.double, what=cython.longlong, first=cython.longlong, noted=bint, idle=cython.longlong, misfits=cython.double[::1], in_reach=cython.longlong[::1], planned=bint, over=bint, candidate=cython.longlong, first_end=cython.double, bound=cython.longlong, since=cython.double, known=cython.longlong, shortest=cython.double)
cdef long long _backfill(State state, SlurmMemory rule, double now, long long[::1] rows, long long k, long long skip, double edge, double[::1] own) noexcept

cdef long long _reach(State state, SlurmMemory rule, long long main, long long[::1] numbers, long long size) noexcept

@cython.locals(length=cython.double, start=cython.double, late=cython.double, time=cython.double, waits=bint, i=cython.longlong)
cdef double _earliest(State state, double now, long long row, double edge, double since, double[::1] ends, Profile profile) noexcept

@cython.locals(found=bint, end=cython.double, i=cython.longlong)
cdef bint _is_looked_at(State state, double now, double time, double[::1] ends) noexcept

cdef bint closes_window(State state, double time) noexcept

@cython.locals(found=bint, window=cython.longlong, i=cython.longlong)
cdef bint closes_known_window(State state, double time) noexcept

@cython.locals(i=cython.longlong)
cdef long long _first_of_partition(State state, long long[::1] reserved, long long row) noexcept

cdef bint awaits_window(State state) noexcept

cdef bint awaits_known_window(State state) noexcept

cdef void delay_windows(State state, double seconds) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef void delay_known_windows(State state, double seconds) noexcept
