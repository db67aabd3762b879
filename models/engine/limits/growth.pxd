cimport cython
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.machine_state cimport State

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], e=cython.longlong, m=cython.longlong, resource=cython.longlong, asked=cython.double, holds=bint, i=cython.longlong)
cdef bint may_have(State state, long long row, long long more, double until, double now) noexcept
