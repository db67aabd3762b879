cimport cython
from thinktime.models.engine.rooms cimport node_profile
from thinktime.models.engine.codes cimport slurm_partitions as slurm_partitions_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile


cdef long long node_count(State state) noexcept

cdef long long count_of_nodes(State state) noexcept

cdef bint close_partition(State state, long long row, long long[::1] closed) noexcept

@cython.locals(shape=cython.longlong, whole=bint, v=cython.longlong, mine=bint, chunk=cython.longlong)
cdef bint close_nodes_of_job(State state, long long row, long long[::1] closed) noexcept

cdef bint close_in_profile(State state, long long row, long long[::1] closed, Profile profile) noexcept

@cython.locals(shape=cython.longlong, whole=bint, v=cython.longlong, mine=bint, chunk=cython.longlong, i=cython.longlong, table=cython.longlong[:, ::1], r=cython.longlong)
cdef bint close_nodes_in_profile(State state, long long row, long long[::1] closed, Profile profile) noexcept

cdef void open_partitions(State state, long long[::1] closed) noexcept

@cython.locals(v=cython.longlong)
cdef void open_nodes(State state, long long[::1] closed) noexcept

@cython.locals(r=cython.longlong)
cdef void _change_node(State state, long long v, long long amount) noexcept

cdef bint same_partition(State state, long long row, long long other) noexcept

cdef bint same_nodes(State state, long long row, long long other) noexcept

@cython.locals(a=cython.longlong, b=cython.longlong, same=bint, v=cython.longlong)
cdef bint same_nodes_of_shapes(State state, long long row, long long other) noexcept
