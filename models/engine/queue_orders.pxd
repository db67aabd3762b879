cimport cython
from libc cimport math
from thinktime.models.engine cimport usage
from thinktime.models.engine.codes cimport queue_orders as queue_orders_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.structure cimport Structure
from thinktime.models.engine.usage cimport Usage

cdef double MINUTE
cdef double LONGEST

cdef class Order(Structure):
    cdef bint is_kept(self) noexcept
    cdef bint asks_for_keys(self) noexcept
    cpdef long long[::1] arranged(self, State state, Rule rule, double now, long long[::1] rows)
    cpdef void charge_jobs(self, State state, double now, long long sign, long long[::1] rows) except *
    cdef void count_as(self, long long row, long long entry) noexcept

cdef class SortedOrder(Order):
    cdef public long long code
    cdef public long long by
    cdef public long long measure
    cdef public double alpha
    cdef public double level
    cdef public double decay
    cdef public Usage accounts
    cdef public double[::1] logs
    cdef public double[::1] standing
    cdef public double[::1] divisors
    cdef double[::1] keys
    cdef long long[::1] rows
    cdef double[::1] spare_keys
    cdef long long[::1] spare_rows
    cdef void make_room(self, long long count)
    cpdef long long[::1] arranged(self, State state, Rule rule, double now, long long[::1] rows)
    @cython.locals(amount=cython.double, by_user=bint, equivalents=bint, i=cython.longlong, row=cython.longlong)
    cpdef void charge_jobs(self, State state, double now, long long sign, long long[::1] rows) except *

cdef class AsKept(Order):
    cdef public bint late
    cdef bint is_kept(self) noexcept
    cdef bint asks_for_keys(self) noexcept

@cython.locals(code=cython.longlong, by_user=bint, i=cython.longlong, account=cython.longlong, row=cython.longlong, n=cython.longlong, width=cython.longlong, log=cython.double)
cpdef long long[::1] in_order(State state, SortedOrder order, double now, long long[::1] rows)

@cython.locals(begin=cython.longlong, i=cython.longlong, j=cython.longlong, key=cython.double, row=cython.longlong, width=cython.longlong, turned=bint)
cdef bint sort_together(double[::1] keys, long long[::1] rows, double[::1] spare_keys, long long[::1] spare_rows, long long n) noexcept

@cython.locals(begin=cython.longlong, i=cython.longlong, j=cython.longlong, middle=cython.longlong, end=cython.longlong, k=cython.longlong)
cdef void _merge_runs(double[::1] keys, long long[::1] rows, double[::1] to_keys, long long[::1] to_rows, long long width, long long n) noexcept

@cython.locals(n=cython.longlong, first=cython.longlong[::1], places=cython.longlong[::1], k=cython.longlong)
cdef long long[::1] sorted_by(double[::1] keys, long long[::1] rows)

@cython.locals(n=cython.longlong, width=cython.longlong, begin=cython.longlong, i=cython.longlong, j=cython.longlong, middle=cython.longlong, end=cython.longlong, k=cython.longlong)
cdef long long[::1] sort_places(double[::1] keys, long long[::1] places, long long[::1] spare)

@cython.locals(keys=cython.double[::1], i=cython.longlong)
cpdef double[::1] aged_keys(SortedOrder order, double now, double[::1] submit, double[::1] estimate, long long[::1] processors, double[::1] logs)

@cython.locals(reach=cython.double, limit=cython.double, ratio=cython.double)
cdef double aged_key(SortedOrder order, double waited, double estimate, long long processors, double log) noexcept

@cython.locals(owner=cython.longlong[::1])
cdef long long[::1] owners(State state, long long by)
