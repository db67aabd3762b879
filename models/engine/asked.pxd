cimport cython
from libc cimport math
from thinktime.models.engine cimport pool
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.omissions cimport Omissions
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY

cdef class Eyes:
    cdef public object view
    cdef public object pool
    cdef public object clock
    cpdef look(self, double now)
    cpdef set_clock(self, double now)

cdef class Asked(Rule):
    cdef public Eyes eyes
    cdef public object caller
    cdef public Omissions omissions
    cdef public double clock
    cdef public bint ticks
    cdef public bint reshapes
    cdef public object on_select
    cdef public object on_submit
    cdef public object on_start
    cdef public object on_end
    cdef public object on_withdraw
    @cython.locals(chosen=cython.longlong[::1], i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    cdef bint may_be_cut(self, State state, double now, long long count) except -1
    cdef void refuse(self, State state, double now, long long[::1] rows, long long fault) except *
    cpdef bint reshape(self, State state, double now, long long[::1] rows) except -1
    cdef void passed(self, State state, double now, long long[::1] rows) except *
    cdef void plan(self, State state, double now) except *
    cdef double next_due(self, State state, double now) noexcept
    cdef bint strikes(self, State state, double now) except -1
    cdef void submitted(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    cpdef void barred(self, State state, double now, long long[::1] rows) except *
    cpdef void put_off(self, State state, double now, long long[::1] rows) except *
    cpdef void revised(self, State state, double now, long long[::1] rows) except *
    cpdef void interrupted(self, State state, double now, long long[::1] rows) except *
    cpdef void resizing(self, State state, double now, long long[::1] rows) except *
    cpdef void resized(self, State state, double now, long long[::1] rows) except *
    cdef void changed(self, State state, double now) except *

cdef class AskedOrder(Order):
    cdef public Eyes eyes
    cdef public object sort
    cdef public object accounts
    cdef public Order inner
    cdef public bint sorts
    cdef public bint late
    cdef bint is_kept(self) noexcept
    cdef bint asks_for_keys(self) noexcept
    @cython.locals(found=cython.longlong[::1])
    cpdef long long[::1] arranged(self, State state, Rule rule, double now, long long[::1] rows)
    cpdef void charge_jobs(self, State state, double now, long long sign, long long[::1] rows) except *
    cdef void count_as(self, long long row, long long entry) noexcept
