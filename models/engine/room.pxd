cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport State


@cython.locals(n=cython.longlong, i=cython.longlong)
cpdef long long overrunning(State state, double now) noexcept

@cython.locals(free=cython.longlong, i=cython.longlong)
cdef long long available(State state, long long skip) noexcept

cdef bint used_up(State state, long long left) noexcept
