cimport cython
from thinktime.models.engine cimport room
from thinktime.models.policies.cplant cimport starvation
from thinktime.models.engine.rooms cimport trials
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport search as search_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule


cdef class Searching(Rule):
    cdef public Profile profile
    cdef public long long algorithm
    cdef public bint top
    cdef public long long limit
    cdef public bint prune
    cdef public long long comparison
    cdef public bint dynamic
    cdef public long long jobs
    cdef public long long iteration
    cdef public long long depth
    cdef public long long nodes
    cdef public long long leaves
    cdef public long long phase
    cdef public long long improved
    cdef public double[::1] weights
    cdef public long long[::1] goals
    cdef public double[::1] parameters
    cdef public double[::1] values
    cdef public double[::1] value
    cdef public long long[:, ::1] tree
    cdef public double[::1] bound
    cdef public double[::1] submit
    cdef public double[::1] duration
    cdef public double[::1] root
    cdef public double[::1] start
    cdef public double[::1] best
    cdef public long long[::1] owner
    cdef public long long[::1] campaign
    cdef public double[::1] used
    cdef public double[::1] entitled
    cdef public double[::1] window_end
    cdef public double[::1] campaign_submit
    cdef public double[::1] campaign_end
    cdef public double[::1] campaign_least
    cdef public double[::1] scratch
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99

@cython.locals(k=cython.longlong, gain=cython.double, most=cython.double, product_a=cython.double, product_b=cython.double, zeros_a=cython.double, zeros_b=cython.double)
cpdef bint better(long long rule, double[::1] a, double[::1] b, double[::1] weights) noexcept

@cython.locals(longest=cython.double)
cdef double value_of(long long goal, double parameter, double waited, double duration, long long q) noexcept

@cython.locals(start=cython.double[::1], submit=cython.double[::1], duration=cython.double[::1], scratch=cython.double[::1], q=cython.longlong, k=cython.longlong, goal=cython.longlong, parameter=cython.double, total=cython.double, j=cython.longlong, span=cython.double, u=cython.longlong, c=cython.longlong)
cdef void measure(State state, Searching rule, long long[::1] rows) noexcept

cpdef void keep_if_better(Searching rule, long long q) noexcept

@cython.locals(tree=cython.longlong[:, ::1], q=cython.longlong, someone=bint, j=cython.longlong, row=cython.longlong, k=cython.longlong, first=cython.double)
cpdef bint plant(State state, Searching rule, double now, long long[::1] rows) noexcept

@cython.locals(k=cython.longlong, j=cython.longlong)
cpdef long long harvest(State state, Searching rule, double now, long long[::1] rows) noexcept

cdef void replay(State state, Searching rule, long long[::1] rows) noexcept

@cython.locals(d=cython.longlong)
cdef void nodes_replay(State state, Searching rule, long long[::1] rows) noexcept

cdef long long first_rank(long long algorithm, bint top, long long iteration, long long depth, long long left, long long q) noexcept

@cython.locals(last=cython.longlong)
cdef long long next_rank(long long algorithm, bint top, long long iteration, long long depth, long long left, long long q, long long rank) noexcept

@cython.locals(tree=cython.longlong[:, ::1], q=cython.longlong, algorithm=cython.longlong, top=bint, limit=cython.longlong, prune=bint, following=cython.longlong[::1], preceding=cython.longlong[::1], path=cython.longlong[::1], rank=cython.longlong[::1], left=cython.longlong[::1], d=cython.longlong, j=cython.longlong, target=cython.longlong, rank_there=cython.longlong)
cpdef long long explore(State state, Searching rule, long long[::1] rows, long long pause_at, bint ask) noexcept

@cython.locals(n=cython.longlong, tree=cython.longlong[:, ::1])
cdef void _put(State state, Searching rule, long long[::1] rows, long long d, long long j) noexcept

@cython.locals(tree=cython.longlong[:, ::1], j=cython.longlong)
cdef void _take_back(State state, Searching rule, long long[::1] rows, long long d) noexcept

@cython.locals(part=cython.double[::1], k=cython.longlong, goal=cython.longlong, j=cython.longlong, earliest=cython.double)
cdef void _lower_bounds(State state, Searching rule, long long q) noexcept

@cython.locals(bound=cython.double[::1], size=cython.longlong, submit=cython.double, duration=cython.double, k=cython.longlong, goal=cython.longlong, parameter=cython.double, earliest=cython.double)
cdef bint _hopeless(Searching rule, long long q, long long d, long long j) noexcept
