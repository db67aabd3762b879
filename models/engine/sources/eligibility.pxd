cimport cython
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.codes cimport eligibility as eligibility_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.sources.chains cimport Chained
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.sources.sources cimport Sources


cdef class Conditional(Chained):
    cdef public long long dated_count
    cdef public long long ready_count
    cdef public long long fresh_count
    cdef public bint kills
    cdef public bint defers
    cdef public signed char[::1] fails
    cdef public long long[::1] need
    cdef public signed char[::1] place
    cdef public signed char[::1] marks
    cdef public double[::1] eligible
    cdef public long long[::1] wanted
    cdef public long long[::1] spare
    cdef public long long[::1] array
    cdef public long long[::1] first_link
    cdef public long long[::1] ready
    cdef public long long[::1] answer
    cdef public long long[::1] to
    cdef public long long[::1] next_link
    cdef public long long[::1] owner
    cdef public long long[::1] left
    cdef public long long[::1] dated
    cdef public signed char[::1] what
    cdef public signed char[::1] spoiled
    cdef public double[::1] delay
    cdef public double[::1] when
    cdef public long long[::1] slots
    cdef public long long[::1] begin
    cdef public long long[::1] stop
    cdef public long long[::1] fresh
    cdef public signed char[::1] is_fresh
    cdef public long long[::1] task
    @cython.locals(following=cython.double, row=cython.longlong, a=cython.longlong, j=cython.longlong, i=cython.longlong)
    cpdef bint arrive(self, State state, Truth truth, double now) except -1
    @cython.locals(row=cython.longlong, link=cython.longlong, i=cython.longlong)
    cpdef bint note_started(self, State state, Truth truth, double now, long long[::1] rows) except -1
    @cython.locals(urgent=bint, row=cython.longlong, then=cython.longlong, failed=bint, link=cython.longlong, i=cython.longlong)
    cpdef bint note_over(self, State state, Truth truth, double now, long long[::1] rows) except -1

@cython.locals(known=bint, row=cython.longlong, clause=cython.longlong, i=cython.longlong)
cdef bint _are_answered(State state, Truth truth, Conditional sources) noexcept

@cython.locals(arrived=cython.longlong[::1], k=cython.longlong, row=cython.longlong, waits=bint, i=cython.longlong)
cdef void _sift(State state, Truth truth, Conditional sources, double now) noexcept

cpdef void put_aside(State state, Truth truth, Conditional sources, long long row) noexcept

cdef void _join(State state, Truth truth, Conditional sources, long long row) noexcept

cdef void _leave(Truth truth, Conditional sources, long long row) noexcept

@cython.locals(task=cython.longlong[::1], place=cython.schar[::1], row=cython.longlong, i=cython.longlong)
cdef void _fill_slots(State state, Truth truth, Conditional sources, long long a) noexcept

cdef bint _is_given_up(Conditional sources, long long row) noexcept

@cython.locals(a=cython.longlong)
cdef void _look_at(Truth truth, Conditional sources, double now, long long row) noexcept

cdef void _free_slots(Truth truth, Conditional sources, double now, long long a, long long more) noexcept

cpdef void leave_slot(Truth truth, Conditional sources, double now, long long row) noexcept

cpdef void meet(Truth truth, Conditional sources, double now, long long row) noexcept

@cython.locals(kind=cython.longlong, row=cython.longlong)
cpdef void decide_clause(Truth truth, Conditional sources, double now, long long clause) noexcept

@cython.locals(clause=cython.longlong)
cdef void _count_down(Truth truth, Conditional sources, double now, long long link) noexcept

cdef bint _has_gone_on(State state, Truth truth, long long row) noexcept

@cython.locals(dated=cython.longlong[::1], when=cython.double[::1], place=cython.longlong)
cpdef void put_date(Truth truth, Conditional sources, long long clause) noexcept

@cython.locals(dated=cython.longlong[::1], when=cython.double[::1], clause=cython.longlong, last=cython.longlong, place=cython.longlong, n=cython.longlong, child=cython.longlong)
cdef void _reach_dates(Truth truth, Conditional sources, double now) noexcept
