cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport starvation as starvation_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

cdef class Starving(Rule):
    cdef public long long barred_if
    cdef public long long by
    cdef public bint keyed
    cdef public double starve
    cdef public double quantile
    cdef public signed char[::1] starving
    cdef public double[::1] standing
    @cython.locals(free=cython.longlong, row=cython.longlong, i=cython.longlong)
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(apart=cython.longlong[::1], first=cython.longlong[::1], queue=cython.longlong[::1], n=cython.longlong, starving=cython.longlong, k=cython.longlong, place=cython.longlong, row=cython.longlong, i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef void started(self, State state, double now, long long[::1] rows) except *

@cython.locals(skip=cython.longlong, out=cython.longlong[::1], left=cython.longlong, k=cython.longlong)
cdef long long starvation_pass(State state, double now, long long starving, long long[::1] queue) noexcept

@cython.locals(barred=cython.longlong, owner=cython.longlong[::1], line=cython.double, row=cython.longlong, i=cython.longlong)
cdef void _promote(State state, Starving rule, double now, long long[::1] rows) noexcept

@cython.locals(n=cython.longlong, keys=cython.double[::1], i=cython.longlong, by_id=cython.longlong[::1], k=cython.longlong, row=cython.longlong, j=cython.longlong, rows_here=cython.longlong[::1])
cpdef long long[::1] by_arrival(State state, Starving rule, long long[::1] apart)

cdef bint _is_due(State state, Starving rule, double now, long long row) noexcept

@cython.locals(used=cython.double[::1], n=cython.longlong, i=cython.longlong, place=cython.double, low=cython.longlong, step=cython.double, part=cython.double)
cpdef double heavy_line(Spare spare, double[::1] usage, long long barred, double quantile) noexcept

@cython.locals(sizes=cython.longlong[::1], sums=cython.double[::1], left=cython.longlong, k=cython.longlong, begin=cython.longlong, n=cython.longlong, half=cython.longlong)
cdef double pairwise_sum(Spare spare, double[::1] values) noexcept

@cython.locals(blocks=cython.longlong, total=cython.double, r=cython.double[::1], i=cython.longlong, j=cython.longlong)
cdef double _block_sum(Spare spare, double[::1] values) noexcept
