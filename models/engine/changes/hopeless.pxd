cimport cython
from thinktime.models.engine cimport arithmetic
from libc cimport math
from thinktime.models.engine.rooms cimport capped_profile
from thinktime.models.engine.rooms cimport changing_profile
from thinktime.models.engine cimport pool
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources

cdef double INFINITY

@cython.locals(rows=cython.longlong[::1])
cdef bint leave_hopeless_queue(State state, Truth truth, Rule rule, Sources sources, double now) except -1

@cython.locals(k=cython.longlong, row=cython.longlong, processors=bint, i=cython.longlong)
cdef long long[::1] hopeless_rows(State state, Truth truth, double now)

@cython.locals(processors=cython.longlong)
cdef bint never_starts(State state, long long row, double now) noexcept

@cython.locals(draw=cython.longlong, own=Profile)
cdef bint never_has_power(State state, long long row, double now) noexcept
