from thinktime.models.engine cimport arithmetic
cimport cython
from thinktime.workloads cimport active_time
from libc cimport math
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.sources cimport timetables
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport plans as plans_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

cdef double NAN

cdef double SECOND_LOOK

cdef long long planner(Truth truth, long long watch) noexcept

cdef bint job_of_user_over(Truth truth, long long user) noexcept

cpdef bint needs_help(Truth truth, long long user) noexcept

@cython.locals(campaign=cython.longlong)
cdef void find_thought(Truth truth, double now, long long user) except *

@cython.locals(since=cython.double, first=cython.longlong, begin=cython.double)
cdef double _rested(Truth truth, double now, long long user, long long campaign) noexcept

@cython.locals(told=cython.longlong[::1], done=bint, place=cython.longlong, i=cython.longlong)
cdef bint go_on(Truth truth, double now, long long begin) except -1

@cython.locals(release=cython.double)
cdef bint think(Truth truth, double now, long long user) except -1

cdef void take_turn(Truth truth, long long user) noexcept

@cython.locals(campaign=cython.longlong, least=cython.double, release=cython.double)
cdef double _release(Truth truth, double now, long long user) noexcept

@cython.locals(user=cython.longlong, at_once=bint)
cpdef long long set_out(State state, Truth truth, double now, long long[::1] users, long long place) except -1

cdef bint balks(Truth truth, long long user) noexcept

@cython.locals(room=cython.longlong)
cdef bint has_way(State state, Truth truth, long long user) noexcept

@cython.locals(campaign=cython.longlong, since=cython.double, thought=cython.double)
cdef void submit_next(State state, Truth truth, double now, long long user) noexcept

@cython.locals(job=cython.longlong, first=cython.longlong, endures=cython.double, row=cython.longlong)
cdef void _submit_new(State state, Truth truth, double now, long long user, long long jobs, double thought) noexcept

@cython.locals(members=cython.longlong[::1], first=cython.longlong, overlaps=cython.longlong, begin=cython.longlong, stop=cython.longlong, place=cython.longlong, row=cython.longlong)
cdef void _submit_loaded(State state, Truth truth, double now, long long user, long long jobs, double thought) noexcept
