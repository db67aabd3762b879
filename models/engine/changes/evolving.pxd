cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport true_ends
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine.codes cimport shapes as codes
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

@cython.locals(running=cython.longlong[::1], j=cython.longlong, row=cython.longlong, number=cython.longlong, place=cython.longlong)
cdef void ask(State state, Truth truth, Rule rule, Order order, double now) except *

@cython.locals(rows=cython.longlong[::1])
cdef void _stand_still(State state, Truth truth, Rule rule, double now, long long row) except *

@cython.locals(n=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef void go_on_without(State state, Truth truth) noexcept
