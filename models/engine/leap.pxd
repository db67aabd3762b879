from thinktime.models.engine cimport arithmetic
cimport cython
from libc cimport math
from thinktime.models.engine.changes cimport evolving
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.limits cimport budgets
from thinktime.models.engine.limits cimport entries
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport overspent
from thinktime.models.engine.limits cimport ranking
from thinktime.models.engine.sources cimport patience
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport reasons
from thinktime.models.engine cimport shapes
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.codes cimport budgets as budget_codes
from thinktime.models.engine.codes cimport leap as leap_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.estimates cimport Estimator
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

@cython.locals(work=cython.longlong, looked=cython.longlong, steady=bint, changing=bint, limited=bint, predicts=bint, ends=bint, then=cython.double, told=bint, urgent=bint, passes=bint, again=bint, asks=bint, shaped=bint, k=cython.longlong, queue=cython.longlong[::1], idle=bint)
cpdef TimeAndCount leap(State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now, long long phase, double horizon, long long mark, bint attended) except *

@cython.locals(queue=cython.longlong[::1])
cdef long long[::1] in_order(State state, Rule rule, Order order, double now)

cdef double next_event(Truth truth) except? -9

@cython.locals(told=bint, wishes=bint, k=cython.longlong)
cdef bint complete(State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1

@cython.locals(rows=cython.longlong[::1])
cpdef bint note_ends(State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now, long long count) except -1

@cython.locals(rows=cython.longlong[::1], evicted=cython.longlong, urgent=bint, fault=cython.longlong)
cdef bint start(State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now, long long count) except -1

cdef bint only_balked(State state, Truth truth, Rule rule, double now) noexcept

@cython.locals(beyond=cython.longlong)
cdef long long[::1] eligible(State state, Rule rule, double now)

@cython.locals(rows=cython.longlong[::1], sizes=cython.longlong[::1], beyond=cython.longlong)
cdef long long beyond_with_sizes(State state, Rule rule, double now) except -1

@cython.locals(kept=cython.longlong, again=bint)
cdef (long long, bint) within_limits(State state, Rule rule, double now, long long[::1] queue, long long k) except *

@cython.locals(waiting=cython.longlong, running=cython.longlong, time=cython.double)
cpdef double following(State state, Truth truth, Rule rule, Estimator estimator, double now, bint attended) noexcept

@cython.locals(time=cython.double)
cpdef double next_wish(State state, Rule rule, Estimator estimator, double now) noexcept

