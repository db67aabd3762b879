cimport cython
from libc cimport math
from thinktime.models.policies.slack cimport moves as slack_moves
from thinktime.models.policies.slack cimport prices as slack_prices
from thinktime.models.engine.rooms cimport trials
from thinktime.models.engine.codes cimport leap as leap_codes
from thinktime.models.engine.codes cimport machine_state as at_
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport slack_moves as slack_moves_codes
from thinktime.models.engine.codes cimport slack_prices as slack_prices_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.policies.slack.prices cimport Slack
from thinktime.models.engine.spare cimport Spare

cdef double NAN

cdef double INFINITY

@cython.locals(row=cython.longlong, i=cython.longlong)
cpdef void begin(State state, Slack rule, double now, long long skip, long long[::1] rows) noexcept

cdef void _tie(State state, Slack rule) noexcept

@cython.locals(used=cython.longlong, queue=cython.longlong[::1], k=cython.longlong, row=cython.longlong, profile=Profile, i=cython.longlong, begin=cython.double, m=cython.longlong, j=cython.longlong, is_here=cython.longlong[::1])
cdef void tie_to_nodes(State state, Slack rule) noexcept

@cython.locals(profile=Profile, other=cython.longlong, begin=cython.double, i=cython.longlong)
cdef double first_fit(State state, Slack rule, long long row) noexcept

@cython.locals(due=cython.double[::1], priority=cython.double[::1], estimate=cython.double[::1], queue=cython.longlong[::1], exact=cython.longlong, size=cython.longlong, over=bint, need=cython.longlong, factor=cython.double[::1], bound=cython.double[::1], i=cython.longlong, row=cython.longlong, starts=cython.double[::1], trial=cython.double[::1], stands=cython.double[::1], spare=Spare, used=cython.longlong, everyone=cython.longlong[::1], by_start=cython.longlong[::1], order=cython.longlong[::1], profile=Profile, fixed=Profile, passed=cython.longlong, sequence=cython.longlong[::1], shuffled=cython.longlong[::1], permutation=cython.longlong[::1], before=cython.longlong[:, ::1], best_places=cython.longlong[:, ::1], best=cython.double, best_apart=cython.double, fewest=cython.longlong, unseen=cython.longlong, at=cython.double, delayed=cython.longlong, own=cython.double, by_reserved_start=bint, taken_out=bint, j=cython.longlong, turn=cython.longlong[::1], done=cython.longlong, price=cython.double, apart=cython.double, moved=cython.longlong, slot=cython.double, k=cython.longlong, ats_here=cython.double[::1], m=cython.longlong)
cpdef (double, double, double) cheapest(State state, Slack rule, double now, long long kind, long long new, double duration, double p, double own_factor) except *

@cython.locals(i=cython.longlong)
cdef void move(Slack rule) noexcept

@cython.locals(slot=cython.double, _=cython.double)
cdef void remove_one(State state, Slack rule, double now) except *
