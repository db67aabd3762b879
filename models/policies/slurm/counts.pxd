cimport cython
from thinktime.models.policies.slurm cimport partitions as slurm_partitions
from thinktime.models.engine.codes cimport slurm_counts as slurm_counts_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.policies.slurm.memory cimport SlurmMemory


@cython.locals(n=cython.longlong, limited=bint, k=cython.longlong, found=cython.longlong[::1], users=cython.longlong[::1], groups=cython.longlong[::1], i=cython.longlong)
cdef long long[::1] numbers_of(State state, SlurmMemory rule, long long[::1] rows)

@cython.locals(found=cython.longlong[::1], firsts=cython.longlong[::1], m=cython.longlong, i=cython.longlong, place=cython.longlong)
cdef long long[::1] places_of_partitions(State state, long long[::1] rows)

@cython.locals(n=cython.longlong, most=cython.longlong, each=cython.longlong, keys=cython.double[::1], i=cython.longlong, order=cython.longlong[::1], rank=cython.longlong, j=cython.longlong)
cdef void _rank_pairs(State state, long long[::1] one, long long[::1] other, long long[::1] found) noexcept

@cython.locals(most=cython.longlong, i=cython.longlong)
cdef long long[::1] counts_for(State state, long long[::1] numbers)

@cython.locals(k=cython.longlong, each=cython.longlong)
cdef bint is_looked_at(SlurmMemory rule, long long[::1] numbers, long long[::1] counts, long long n, long long i) noexcept

cdef long long[::1] places_in_main_pass(State state, SlurmMemory rule, long long[::1] rows)
