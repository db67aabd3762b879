cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine cimport long_numbers
from thinktime.models.policies.ostrich cimport mlpt
from thinktime.models.policies.ostrich cimport plugin
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport room
from thinktime.models.policies.cplant cimport starvation
from thinktime.models.policies.ostrich cimport progress as virtual
from thinktime.models.engine.codes cimport campaigns as campaigns_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.codes cimport virtual as virtual_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.policies.ostrich.progress cimport Campaigns

cdef double INFINITY

cdef class CampaignsRule(Campaigns):
    @cython.locals(free=cython.longlong, line=cython.longlong[::1])
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(before=cython.longlong, slurm=bint, corrected=bint, changed=bint, row=cython.longlong, c=cython.longlong, unused=cython.double, again=bint, i=cython.longlong)
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cdef double next_due(self, State state, double now) noexcept

@cython.locals(slurm=bint, before=cython.longlong, new=cython.longlong[::1], row=cython.longlong, i=cython.longlong, number=cython.longlong, user=cython.longlong, k=cython.longlong, members=cython.longlong[::1], j=cython.longlong)
cpdef void admit(State state, Campaigns rule, double now, long long[::1] rows) noexcept

@cython.locals(known=cython.longlong)
cdef long long[::1] _newcomers(State state, Campaigns rule, long long[::1] rows)

@cython.locals(new=cython.longlong[::1], k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] _unknown(State state, Campaigns rule, long long[::1] rows)

@cython.locals(new=cython.longlong[::1], k=cython.longlong, row=cython.longlong, c=cython.longlong, i=cython.longlong, rows_here=cython.longlong[::1])
cdef long long[::1] _newcomers_and_returned(State state, Campaigns rule, long long[::1] rows)

cdef bint _is_held_back(Campaigns rule, long long c) noexcept

@cython.locals(c=cython.longlong, i=cython.longlong)
cdef void begin(State state, Campaigns rule, double now) noexcept

@cython.locals(which=cython.longlong, number=cython.longlong, owner=cython.longlong, each=cython.double[::1], longest=cython.double, i=cython.longlong, work=cython.double, rho=cython.double, m=cython.longlong, k_rho=cython.double, c=cython.longlong, joins=bint, row=cython.longlong, j=cython.longlong)
cdef void _group(State state, Campaigns rule, double now, long long[::1] rows) noexcept

@cython.locals(which=cython.longlong, late=bint)
cdef bint _can_join(Campaigns rule, long long c, double now, double work) noexcept

@cython.locals(c=cython.longlong, owner=cython.longlong)
cdef void _forget(Campaigns rule, long long row) noexcept

@cython.locals(order=cython.longlong, one=cython.longlong, other=cython.longlong)
cdef bint _before(Campaigns rule, long long a, long long b) noexcept

@cython.locals(line=cython.longlong[::1], low=cython.longlong, n=cython.longlong, high=cython.longlong, middle=cython.longlong, i=cython.longlong)
cdef void _put(Campaigns rule, long long c, long long[::1] rows) noexcept

@cython.locals(keys=cython.double[::1], i=cython.longlong, sign=cython.double, rows=cython.longlong[::1], k=cython.longlong, within=cython.longlong, row=cython.longlong, j=cython.longlong, rows_here=cython.longlong[::1])
cdef long long[::1] _waiting_of(State state, Campaigns rule, long long c)

@cython.locals(lengths=cython.double[::1], i=cython.longlong)
cdef double[::1] _lengths(State state, long long[::1] rows, double sign)

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef void _keep_waiting(State state, Campaigns rule, long long without) noexcept

@cython.locals(old=cython.longlong[::1], first=cython.longlong, i=cython.longlong)
cdef void _sort(State state, Campaigns rule) noexcept

@cython.locals(k=cython.longlong, rows=cython.longlong[::1], busy=cython.double[::1], i=cython.longlong, order=cython.longlong[::1])
cdef void _reorder_first(State state, Campaigns rule, double now, long long free, long long[::1] line) noexcept
