cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport situation
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.engine.rooms cimport fences
from thinktime.models.engine.rooms cimport node_profile
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport slurm_partitions as slurm_partitions_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

cdef long long node_count(State state) noexcept

cdef long long count_of_nodes(State state) noexcept

cdef bint stays_open(State state, long long row, long long[::1] closed, long long[::1] started) noexcept

@cython.locals(shape=cython.longlong, now=cython.double, count=cython.longlong, spare=Spare, before=cython.longlong, alone=bint, up=cython.longlong, least=cython.longlong, usable=cython.longlong[::1], v=cython.longlong, here=cython.longlong, chunk=cython.longlong, left=cython.longlong, waits=bint, r=cython.longlong)
cdef bint waits_for_windows(State state, long long row, long long[::1] closed, long long[::1] started) noexcept

@cython.locals(j=cython.longlong, window=cython.longlong, i=cython.longlong)
cdef bint _is_down(State state, long long v) noexcept

@cython.locals(found=bint, free=cython.longlong[:, ::1], v=cython.longlong, r=cython.longlong, running=cython.longlong[::1], i=cython.longlong)
cdef bint _any_is_taken(State state, long long row, long long[::1] usable, long long[::1] started) noexcept

@cython.locals(found=bint, i=cython.longlong, v=cython.longlong)
cdef bint _has_whole(State state, long long row, long long[::1] usable) noexcept

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
