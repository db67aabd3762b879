cimport cython
from thinktime.models.engine cimport arithmetic
from thinktime.models.orders cimport fair_tree
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine.codes cimport multifactor as multifactor_codes
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.queue_orders cimport Order
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.spare cimport Spare

cdef double HIGHEST
cdef double LN2

cdef class Multifactor(Order):
    cdef public long long accrual
    cdef public bint fair_tree
    cdef public bint truncated
    cdef public bint ends_count
    cdef public bint max_tres
    cdef public long long size_is
    cdef public bint small_first
    cdef public long long in_line
    cdef public bint stale
    cdef public long long next_reset
    cdef public double last_tick
    cdef public double weight_age
    cdef public double weight_association
    cdef public double weight_fairshare
    cdef public double weight_job_size
    cdef public double weight_partition
    cdef public double weight_qos
    cdef public double weight_cpu
    cdef public double weight_node
    cdef public double weight_nice
    cdef public double max_age
    cdef public double period
    cdef public double origin
    cdef public double half_life
    cdef public double dampening
    cdef public double all_cpus
    cdef public double all_nodes
    cdef public double[::1] resets
    cdef public long long[::1] parent
    cdef public long long[::1] first
    cdef public long long[::1] child
    cdef public long long[::1] user
    cdef public long long[::1] walk
    cdef public double[::1] shares
    cdef public double[::1] association
    cdef public double[::1] usage
    cdef public double[::1] since
    cdef public double[::1] rate
    cdef public long long[::1] jobs
    cdef public double[::1] standing
    cdef public double[::1] before
    cdef public double[::1] factor
    cdef public long long[::1] home
    cdef public long long[::1] usual
    cdef public double[::1] kinds
    cdef public long long[::1] leaf
    cdef public long long[::1] kind_of
    cdef public double[::1] asked
    cdef public long long[::1] line
    cdef public long long[::1] place
    cdef public double[::1] begun
    cdef public double[::1] eligible
    @cython.locals(k=cython.longlong)
    cdef void count_as(self, long long row, long long entry) noexcept
    @cython.locals(row=cython.longlong, v=cython.longlong, i=cython.longlong)
    cpdef void charge_jobs(self, State state, double now, long long sign, long long[::1] rows) except *
    cpdef long long[::1] arranged(self, State state, Rule rule, double now, long long[::1] rows)

@cython.locals(node=cython.longlong)
cdef long long node_of(State state, Multifactor order, long long row) noexcept

@cython.locals(kind=cython.longlong, own=cython.longlong, processors=cython.double, cpus=cython.double, nodes=cython.double, other=cython.double, total=cython.double)
cdef double billed(State state, Multifactor order, long long row) noexcept

@cython.locals(used=cython.double, rate=cython.double, passed=cython.double, half_life=cython.double, kept=cython.double)
cpdef double used_at(Multifactor order, long long v, double time) noexcept

cdef double piece(Multifactor order, double seconds) noexcept

@cython.locals(half_life=cython.double)
cdef double kept_after(Multifactor order, double seconds) noexcept

@cython.locals(resets=cython.double[::1], reset=cython.double, v=cython.longlong)
cpdef void advance(State state, Multifactor order, double now) noexcept

@cython.locals(period=cython.double, origin=cython.double, last=cython.double, v=cython.longlong)
cdef void _tick_until(State state, Multifactor order, double time, bint before) noexcept

@cython.locals(v=cython.longlong)
cdef void _look(Multifactor order, double time) noexcept

@cython.locals(last=cython.double, kept=cython.double, v=cython.longlong, row=cython.longlong, passed=cython.double, i=cython.longlong)
cdef void _tick(State state, Multifactor order, double period) noexcept

@cython.locals(n=cython.longlong)
cdef void _join(Multifactor order, double now, long long row) noexcept

@cython.locals(n=cython.longlong, at=cython.longlong, passed=cython.double)
cdef void _leave(State state, Multifactor order, double now, long long v, long long row) noexcept

@cython.locals(continuous=bint, spare=Spare, used=cython.longlong, total=cython.double[::1], before=cython.double[::1], level=cython.double[::1])
cpdef double look(State state, Multifactor order, double now) noexcept

@cython.locals(all_cpus=cython.double, all_nodes=cython.double, nodes=cython.double, cpus=cython.double, small=cython.longlong, limit=cython.double, size=cython.double)
cdef double size_of(State state, Multifactor order, long long row) noexcept

@cython.locals(kind=cython.longlong, own=cython.longlong, points=cython.double)
cdef double points_for_resources(State state, Multifactor order, long long row) noexcept

@cython.locals(v=cython.longlong, kind=cython.longlong, own=cython.longlong, since=cython.double, age=cython.double, points=cython.double)
cpdef double priority(State state, Multifactor order, long long row, double tick) noexcept

@cython.locals(keys=cython.double[::1], tick=cython.double, i=cython.longlong, row=cython.longlong, points=cython.double)
cpdef double[::1] keys_of(State state, Multifactor order, double now, long long[::1] rows)
