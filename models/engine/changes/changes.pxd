from thinktime.models.engine cimport arithmetic
cimport cython
from libc cimport math
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine cimport gapped
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.interruptions cimport interruptions
from thinktime.models.engine.changes cimport evolving
from thinktime.models.engine.changes cimport losing
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport changes as changes_codes
from thinktime.models.engine.codes cimport interruptions as interruptions_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.estimates cimport Estimator
from thinktime.models.engine.changes cimport hopeless
from thinktime.models.engine.changes.pool_changes cimport PoolChanges
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources

cdef double INFINITY

@cython.locals(killed=cython.longlong[::1], told=bint)
cdef bint _tell(State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now, long long[::1] rows) except -1

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] killed_of(State state, long long[::1] rows)

@cython.locals(times=cython.double[::1], what=cython.schar[::1], which=cython.longlong[::1], i=cython.longlong, n=cython.longlong, k=cython.longlong, first=cython.longlong, group=cython.longlong[::1], window=cython.longlong, j=cython.longlong)
cpdef long long change_machine(State state, Truth truth, double now) noexcept

@cython.locals(i=cython.longlong, k=cython.longlong, row=cython.longlong)
cdef long long _end_notices(State state, Truth truth, double now) noexcept

@cython.locals(other=cython.longlong, i=cython.longlong)
cdef void _leave(State state, Truth truth, double now, long long row) noexcept

@cython.locals(n=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef void _come_back(State state, Truth truth, double now) noexcept

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long leave_or_notice(State state, Truth truth, double now) noexcept

@cython.locals(outages=cython.longlong[::1], fresh=cython.longlong, i=cython.longlong, processor=cython.longlong, begin=cython.longlong, failing=cython.longlong[::1], row=cython.longlong, cancels=bint, j=cython.longlong)
cdef long long _fail(State state, Truth truth, double now, long long[::1] processors, double[::1] until, long long k) noexcept

@cython.locals(outages=cython.longlong[::1], back=cython.longlong, processor=cython.longlong, n=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void _repair(State state, long long[::1] processors) noexcept

@cython.locals(known=cython.longlong[::1], place=cython.longlong)
cdef void _learn_of(State state, long long window) noexcept

@cython.locals(known=cython.longlong[::1], n=cython.longlong, i=cython.longlong)
cdef void _forget(State state, long long window) noexcept

cdef class ChangingChanges(PoolChanges):
    cdef bint leave_hopeless(self, State state, Truth truth, Rule rule, Sources sources, double now) except -1
    cpdef double next_change(self, State state, Truth truth) noexcept
    cdef double next_return(self, State state) noexcept
    @cython.locals(k=cython.longlong, given_up=cython.longlong[::1], told=bint)
    cdef bint change(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    @cython.locals(rows=cython.longlong[::1])
    cdef bint preempt(self, State state, Truth truth, Rule rule, Order order, Estimator estimator, Sources sources, double now) except -1
    cdef bint stays(self, State state, long long row) noexcept
    @cython.locals(chosen=cython.longlong[::1], victim=cython.longlong, spared=bint, row=cython.longlong, j=cython.longlong, i=cython.longlong)
    cdef void spare_victims(self, State state, long long[::1] rows) noexcept
