cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport situation
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine.codes cimport changes as changes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

@cython.locals(failing=cython.longlong[::1], i=cython.longlong, n=cython.longlong, window=cython.longlong, mine=cython.longlong[::1])
cdef void shrink_instead(State state, Truth truth, Rule rule, Order order, double now) except *

@cython.locals(form=cython.longlong, place=cython.longlong)
cdef long long _may_go_on(State state, long long row, long long size) noexcept

@cython.locals(running=cython.longlong[::1], j=cython.longlong, row=cython.longlong, lost=cython.longlong, place=cython.longlong)
cdef void _lose(State state, Truth truth, Rule rule, Order order, double now, long long[::1] gone, long long window) except *

@cython.locals(missing=cython.longlong, n=cython.longlong, rows=cython.longlong[::1], held=cython.longlong, j=cython.longlong, youngest=cython.longlong[::1], row=cython.longlong, own=cython.longlong, place=cython.longlong)
cdef void _make_room(State state, Truth truth, Rule rule, Order order, double now, long long window) except *
