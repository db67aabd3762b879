cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.limits cimport budgets
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.limits cimport ranking
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY
cdef double STEP
cdef double FARTHEST

@cython.locals(known=cython.longlong)
cdef long long group_of(State state, long long row) noexcept

@cython.locals(known=cython.double)
cdef double amount(State state, long long row, long long resource) noexcept

cdef double _limit_of(State state, long long row) noexcept

@cython.locals(meters=cython.double[::1], passed=cython.double, decay=cython.double, rate=cython.double, kept=cython.double)
cdef double used_at(State state, long long m, double time) noexcept

@cython.locals(meters=cython.double[::1], kind=cython.double, most=cython.double, ahead=cython.double, used=cython.double)
cdef bint is_met(State state, long long m, long long row, double asked, double now) noexcept

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], i=cython.longlong, e=cython.longlong, m=cython.longlong, asked=cython.double)
cpdef long long binding(State state, long long row, double now) noexcept

cdef bint is_within(State state, long long row, double now) noexcept

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], meters=cython.double[::1], i=cython.longlong, e=cython.longlong, m=cython.longlong, asked=cython.double, kind=cython.double)
cdef void run(State state, long long row, double begin, double now, double sign) noexcept

cdef void occupy(State state, long long row, double now) noexcept

cdef void vacate(State state, long long row, double now) noexcept

cdef void end_stage(State state, long long row, double now) noexcept

cdef void begin_stage(State state, long long row, double now) noexcept

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], meters=cython.double[::1], i=cython.longlong, e=cython.longlong, m=cython.longlong)
cdef bint enter(State state, long long row) noexcept

@cython.locals(row=cython.longlong, i=cython.longlong)
cdef void leave(State state, long long[::1] rows) noexcept

@cython.locals(k=cython.longlong, n=cython.longlong, head=cython.longlong, row=cython.longlong, before=cython.longlong, first=cython.longlong, stop=cython.longlong, each=cython.longlong, i=cython.longlong, falls=bint)
cdef long long sort_out(State state, double now) except -1

@cython.locals(there=bint, k=cython.longlong)
cdef void start_as(State state, long long row, long long entry) noexcept

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], meters=cython.double[::1], i=cython.longlong, e=cython.longlong, m=cython.longlong)
cdef void _count(State state, long long row, long long kind, double sign) noexcept

@cython.locals(entries=cython.longlong[::1], meters=cython.double[::1], head=cython.longlong, row=cython.longlong, group=cython.longlong, free=bint, i=cython.longlong, e=cython.longlong, m=cython.longlong, full=bint, j=cython.longlong)
cdef void age(State state, double now) noexcept

cpdef void age_no_more(State state, long long row) noexcept

cdef double ages_since(State state, long long row) noexcept

@cython.locals(kept=cython.longlong[::1], k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] may_start(State state, long long[::1] rows)

@cython.locals(out=cython.longlong[::1], bar=cython.schar[::1], n=cython.longlong, again=bint, leaves=bint, proposed=cython.longlong[::1], row=cython.longlong, i=cython.longlong, job=cython.longlong, place=cython.longlong, j=cython.longlong)
cdef long long cut(State state, double now, long long[::1] queue, long long k) noexcept

@cython.locals(soonest=cython.double, head=cython.longlong, row=cython.longlong, first=cython.longlong, stop=cython.longlong, each=cython.longlong, i=cython.longlong)
cdef double next_opening(State state, double now) noexcept

@cython.locals(group=cython.longlong, entries=cython.longlong[::1], latest=cython.double, i=cython.longlong, e=cython.longlong, m=cython.longlong, asked=cython.double, length=cython.double, low=cython.double, middle=cython.double)
cdef double _opening(State state, long long row, double now) noexcept
