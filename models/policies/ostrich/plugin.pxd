cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport virtual as virtual_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.policies.ostrich cimport progress as virtual
from thinktime.models.policies.ostrich.progress cimport Campaigns

cdef double INFINITY

@cython.locals(other=cython.longlong, i=cython.longlong, others_here=cython.longlong[::1])
cdef void take_work(State state, Campaigns rule, long long c, long long row, double work) noexcept

@cython.locals(users=cython.longlong[::1], total=cython.double, since=cython.double, user=cython.longlong, c=cython.longlong, rest=cython.double, part=cython.double, i=cython.longlong)
cdef void hand_out(State state, Campaigns rule, double now) noexcept

cdef long long _in_use(State state, double now) noexcept

cdef long long _in_use_of_those_up(State state, double now) noexcept

@cython.locals(used=cython.longlong, v=cython.longlong, i=cython.longlong)
cdef long long _in_use_of_nodes_up(State state, double now) noexcept

@cython.locals(left=cython.double)
cdef double _left(Campaigns rule, long long c) noexcept

@cython.locals(user=cython.longlong, left=cython.double, c=cython.longlong, i=cython.longlong)
cdef void rank(Campaigns rule) noexcept

@cython.locals(owner=cython.longlong, earlier=cython.longlong, other=cython.longlong)
cdef void close(Campaigns rule, long long c) noexcept
