cimport cython
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth


@cython.locals(queue=cython.longlong[::1], left=cython.longlong, beyond=bint, row=cython.longlong, reason=cython.longlong, first=cython.longlong, stop=cython.longlong, each=cython.longlong, limit=cython.longlong, i=cython.longlong)
cdef void explain(State state, Truth truth, double now) noexcept

cdef long long what_is_left(State state, long long first, double now) noexcept

cdef bint has_room(State state, long long row, long long left) noexcept

cdef void forget_what_is_left(State state) noexcept
