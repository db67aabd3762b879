from libc cimport math
from thinktime.models.engine cimport gaps
from thinktime.models.engine cimport situation
from thinktime.models.engine.changes cimport hopeless
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.estimates cimport Estimator
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Changes
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

cdef class PoolChanges(Changes):
    cdef void hit_suspended(self, State state, Truth truth, double now, long long[::1] failing, long long k) noexcept
    cdef void close_nodes(self, State state, long long window) noexcept
    cdef void open_nodes(self, State state, long long window) noexcept
    cdef long long clear(self, State state, Truth truth, double now, long long window, long long k) noexcept
    cdef bint stays(self, State state, long long row) noexcept
    cdef long long go_down(self, State state, long long[::1] indices) noexcept
    cdef long long come_back(self, State state, long long index) noexcept
    cdef bint never_starts(self, State state, long long row, double now) noexcept
    cdef void leave_nodes(self, State state, long long row, bint suspended) noexcept
    cpdef void let_go(self, State state, long long row) noexcept
    cdef double next_change(self, State state, Truth truth) noexcept
    cdef bint change(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef double next_return(self, State state) noexcept
    cdef bint preempt(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef bint leave_hopeless(self, State state, Truth truth, Rule rule, Sources sources, double now) except -1
    cdef void spare_victims(self, State state, long long[::1] rows) noexcept
