cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport queue_orders as queue_orders_codes
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.codes cimport windows as windows_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Windowed(Order):
    cdef public long long by
    cdef public long long measure
    cdef public bint each_start
    cdef public long long in_line
    cdef public long long running
    cdef public double window_since
    cdef public double window_until
    cdef public double grace_then
    cdef public double[::1] borders
    cdef public double[::1] usage
    cdef public double[::1] standing
    cdef public double[::1] divisors
    cdef public long long[::1] line
    cdef public long long[::1] account
    cdef public double[::1] rate
    cdef public double[::1] begun
    cdef public double[::1] until
    cdef public signed char[::1] marks
    @cython.locals(before=cython.longlong, n=cython.longlong, owner=cython.longlong[::1], rates=cython.double[::1], ends=cython.double[::1], accounts=cython.longlong[::1], i=cython.longlong, row=cython.longlong)
    cpdef void charge_jobs(self, State state, double now, long long sign, long long[::1] rows) except *
    @cython.locals(queue=cython.longlong[::1], k=cython.longlong, shadow=cython.double, row=cython.longlong, i=cython.longlong)
    cpdef long long[::1] arranged(self, State state, Rule rule, double now, long long[::1] rows)

@cython.locals(borders=cython.double[::1], after=cython.longlong)
cpdef (double, double) window_at(Windowed order, double now) noexcept

@cython.locals(grace=cython.double, earliest=cython.double, row=cython.longlong, since=cython.double, i=cython.longlong)
cpdef void standing_at(Windowed order, double now, double[::1] out) noexcept

@cython.locals(since=cython.double, until=cython.double, row=cython.longlong, expected=cython.double, inside=cython.double, i=cython.longlong)
cdef void _of_running(Windowed order, double now, double grace, double[::1] out) noexcept

cdef void _roll(Windowed order, double now) noexcept

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong, j=cython.longlong)
cpdef void begin_use(Windowed order, double now, double grace, long long[::1] rows, long long[::1] accounts, double[::1] rates, double[::1] ends) noexcept

@cython.locals(row=cython.longlong, begun=cython.double, expected=cython.double, i=cython.longlong)
cpdef void end_use(Windowed order, double now, long long[::1] rows) noexcept

@cython.locals(measure=cython.longlong)
cdef double _rate(State state, Windowed order, long long row) noexcept

@cython.locals(skip=cython.longlong, k=cython.longlong, n=cython.longlong, left=cython.longlong, head=cython.longlong, _=cython.longlong, shadow=cython.double, found=cython.longlong, following=cython.longlong, place=cython.longlong, i=cython.longlong)
cdef long long[::1] _one_by_one(State state, Rule rule, Windowed order, double now, long long[::1] rows, long long[::1] queue)

@cython.locals(i=cython.longlong)
cdef void _sort_others(State state, Windowed order, double now, long long[::1] rows, long long[::1] queue, long long k, long long head, double shadow) noexcept

@cython.locals(since=cython.double, until=cython.double, inside=cython.double)
cdef void _expect(State state, Windowed order, double now, long long row, double start) noexcept

@cython.locals(keys=cython.double[::1], owner=cython.longlong[::1], i=cython.longlong, account=cython.longlong)
cdef long long[::1] _by_standing(State state, Windowed order, long long[::1] rows)

@cython.locals(rest=cython.longlong[::1], k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] _others(State state, Windowed order, long long[::1] rows, long long[::1] taken)
