cimport cython
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order



@cython.locals(i=cython.longlong, entry=cython.longlong, row=cython.longlong)
cdef void start_entries(State state, Order order, long long[::1] rows) noexcept

cdef void take_size(State state, long long row, long long entry) noexcept

cdef void take_place(State state, long long row, long long entry) noexcept

cdef void take_nodes(State state, long long row, long long entry) noexcept

cdef void take_class(State state, long long row, long long entry) noexcept

cdef void take_rank(State state, long long row, long long entry) noexcept
