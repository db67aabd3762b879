cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport situation
from thinktime.models.engine cimport true_ends
from thinktime.models.engine.codes cimport interruptions as interruptions_codes
from thinktime.models.engine.codes cimport runs as runs_codes
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.interruptions cimport interruptions
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.limits cimport growth
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

@cython.locals(again=bint, before=cython.longlong, i=cython.longlong, row=cython.longlong, place=cython.longlong, form=cython.longlong, more=cython.longlong, smaller=bint, until=cython.double)
cdef bint resize(State state, Truth truth, Rule rule, Order order, double now) except -1

@cython.locals(i=cython.longlong, row=cython.longlong)
cdef void take_effect(State state, Truth truth, Rule rule, Order order, double now) except *

@cython.locals(rows=cython.longlong[::1], form=cython.longlong, noticed=cython.double, end=cython.double, still=cython.double, worked=cython.double, work=cython.double, limit=cython.double)
cdef void _announce(State state, Truth truth, Rule rule, double now, long long row, long long place) except *

@cython.locals(own=cython.double, true=cython.double, whole=cython.double)
cdef void _end_anew(State state, Truth truth, long long row, double begin, double work, double limit, long long place) noexcept

@cython.locals(rows=cython.longlong[::1], form=cython.longlong, paid=bint, progress=cython.double, overhead=cython.double, lost=cython.double, whole=cython.double, limit=cython.double)
cdef void change_size(State state, Truth truth, Rule rule, Order order, double now, long long row, long long place, long long[::1] gone) except *

cdef void lose(State state, Truth truth, Rule rule, Order order, double now, long long row, long long place, long long[::1] gone) except *

cdef void end_shrinking(State state, long long row) noexcept

@cython.locals(done=cython.double, left=cython.double)
cdef bint _has_asked(State state, Truth truth, long long row, long long number) noexcept

@cython.locals(keys=cython.double[::1], i=cython.longlong, by_id=cython.longlong[::1])
cdef long long[::1] oldest_first(State state, long long[::1] rows)

@cython.locals(rows=cython.longlong[::1])
cdef long long[::1] _only(State state, long long row)

cdef void end_asking(State state, long long row) noexcept

@cython.locals(form=cython.longlong, left=cython.double, time=cython.double)
cdef void expect_ask(State state, Truth truth, long long row) noexcept

@cython.locals(i=cython.longlong)
cdef void find_next_ask(State state, Truth truth) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong, form=cython.longlong, number=cython.longlong)
cdef void expect_asks(State state, Truth truth, long long[::1] rows) noexcept
