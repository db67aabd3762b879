cimport cython
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.machine_state cimport State

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], i=cython.longlong, e=cython.longlong, m=cython.longlong, asked=cython.double, at_once=bint)
cdef bint could_be_within(State state, long long row) noexcept
