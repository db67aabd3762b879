cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport room
from thinktime.models.policies.slack cimport rule as pricing
from thinktime.models.policies.slack cimport prices as slack_prices
from thinktime.models.engine.rooms cimport trials
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport slack_moves as slack_moves_codes
from thinktime.models.engine.codes cimport slack_pass as slack_pass_codes
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.policies.slack.prices cimport Slack

cdef double NAN

cdef double INFINITY
cdef double TENTHS
cdef double HALF_UP

cdef class SlackRule(Slack):
    @cython.locals(removals=cython.longlong, skip=cython.longlong, left=cython.longlong, _=cython.longlong, k=cython.longlong, row=cython.longlong, i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    cpdef void barred(self, State state, double now, long long[::1] rows) except *
    cpdef void put_off(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cdef double next_due(self, State state, double now) noexcept

cdef long long _restore(State state, Slack rule) noexcept

@cython.locals(news=cython.longlong, due=cython.double[::1], queue=cython.longlong[::1], profile=Profile, row=cython.longlong, i=cython.longlong)
cdef long long restore_after_changes(State state, Slack rule) noexcept

@cython.locals(due=cython.double[::1], row=cython.longlong, i=cython.longlong)
cdef void _place_again(State state, Slack rule, long long[::1] queue) noexcept

cdef double scheduler_priority(double wait, double awt) noexcept

@cython.locals(reading=cython.longlong, submit=cython.double, awt=cython.double, given=cython.double, own=cython.double, p=cython.double, against=cython.double, factor=cython.double, slot=cython.double, _=cython.double, slack=cython.double)
cdef void insert(State state, Slack rule, double now, long long row) except *

@cython.locals(queue=cython.longlong[::1], i=cython.longlong)
cdef void _line_up(Slack rule, long long[::1] rows, long long k) noexcept

cdef bint _is_promise(State state, double slot) noexcept

cdef bint _is_finite_promise(State state, double slot) noexcept

@cython.locals(due=cython.double[::1], queue=cython.longlong[::1], estimate=cython.double[::1], _=cython.longlong, kept=cython.longlong, blocked=cython.longlong, row=cython.longlong, i=cython.longlong, rows_here=cython.longlong[::1])
cdef long long start_due(State state, Slack rule, double now, long long left) noexcept

@cython.locals(_=cython.longlong, j=cython.longlong, row=cython.longlong, longer=cython.double, p=cython.double, kill=cython.double, queue=cython.longlong[::1], over=bint, places=cython.longlong[:, ::1], slot=cython.double, price=cython.double, apart=cython.double, goes_on=bint)
cpdef void extend_pass(State state, Slack rule, double now, long long[::1] rows, double[::1] until, bint half) except *
