from thinktime.models.engine cimport gaps
from thinktime.models.engine cimport situation
from thinktime.models.engine.changes cimport hopeless
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Changes
from thinktime.models.engine.truth cimport Truth

cdef class PoolChanges(Changes):
    cdef long long clear(self, State state, Truth truth, double now, long long window, long long k) noexcept
    cdef bint stays(self, State state, long long row) noexcept
    cdef long long go_down(self, State state, long long[::1] indices) noexcept
    cdef long long come_back(self, State state, long long index) noexcept
    cdef bint never_starts(self, State state, long long row, double now) noexcept
    cdef void leave_nodes(self, State state, long long row, bint suspended) noexcept
    cpdef void let_go(self, State state, long long row) noexcept
