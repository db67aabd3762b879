cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine.end_groups cimport EndGroups
from thinktime.models.engine.rooms cimport leaving
from thinktime.models.engine.rooms cimport node_profile
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.policies.slurm cimport misfits as slurm_misfits
from thinktime.models.policies.slurm cimport victims as slurm_victims
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.policies.slurm.memory cimport SlurmMemory
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY
cdef long long FEW

cdef double next_multiple(double time, double length, double origin) noexcept

cdef double rounded(double time, double length, double origin) noexcept

@cython.locals(profile=Profile, expected=cython.double[::1], started=cython.longlong[::1], running=cython.longlong[::1], soonest=cython.double, m=cython.longlong, notice=cython.double[::1], leave=cython.double[::1], i=cython.longlong, spare=Spare, before=cython.longlong, few=bint, placed=cython.double[::1], last=cython.double, j=cython.longlong, leaves=cython.double[::1], n=cython.longlong, first=cython.double)
cdef double plan(State state, SlurmMemory rule, double now, long long skip, double[::1] own, long long k, long long[::1] reserved, double[::1] begins, double[::1] ends) noexcept

cdef bint goes_by_groups(State state, SlurmMemory rule) noexcept

@cython.locals(profile=Profile, expected=cython.double[::1], n=cython.longlong, groups=EndGroups, first=cython.double, last=cython.double, lower=cython.double, upper=cython.double, leave=cython.double[::1], i=cython.longlong, order=cython.longlong[::1])
cdef double _plan_groups(State state, SlurmMemory rule, double now, long long skip, long long[::1] started, bint few) noexcept

@cython.locals(running=cython.longlong[::1], profile=Profile, expected=cython.double[::1], soonest=cython.double, n=cython.longlong, leave=cython.double[::1], i=cython.longlong, first=cython.double)
cdef double _plan_steady(State state, SlurmMemory rule, double now, long long skip, double[::1] own, long long[::1] started, bint few) noexcept

@cython.locals(length=cython.double, n=cython.longlong, in_order=cython.longlong, others=cython.longlong[::1], i=cython.longlong, j=cython.longlong, k=cython.longlong, time=cython.double, first=cython.double, since=cython.double, reach=cython.double, more=cython.double, here=cython.longlong, there=cython.longlong, last=cython.double)
cdef double _leave_in_groups(State state, SlurmMemory rule, double[::1] leave, long long m) noexcept

@cython.locals(time=cython.double)
cdef double _next_of(double[::1] leave, long long[::1] others, long long in_order, long long i, long long j) noexcept

cdef bint regroups(SlurmMemory rule, double first, double leave) noexcept

@cython.locals(profile=Profile, expected=cython.double[::1], row=cython.longlong, groups=EndGroups, leave=cython.double, lower=cython.double, upper=cython.double, last=cython.double, j=cython.longlong, other=cython.double)
cdef bint takes_start(State state, SlurmMemory rule, double now, long long skip, long long k, double first) noexcept

cdef void reserve(State state, SlurmMemory rule, long long row, double begin, double end) noexcept

cdef void complete(State state, Profile profile) noexcept

cdef void use_idle_nodes(State state, SlurmMemory rule, double now, long long skip, long long k, long long row, double start, double length) noexcept

@cython.locals(shape=cython.longlong, low=cython.longlong[:, ::1], gone=cython.double, simple=bint, running=cython.longlong[::1], some=bint, following=cython.double)
cdef void use_idle_nodes_of_machine(State state, SlurmMemory rule, double now, long long skip, long long k, long long row, double start, double length) noexcept

@cython.locals(following=cython.double, expected=cython.double[::1], out=cython.longlong[::1], groups=EndGroups, i=cython.longlong)
cdef double next_to_leave(State state, SlurmMemory rule, long long[::1] running, long long k, double after) noexcept

@cython.locals(i=cython.longlong)
cdef void change_leaving(State state, SlurmMemory rule, long long[::1] running, long long k, long long sign, double after, double until) noexcept

cdef long long[::1] running_until(State state, SlurmMemory rule, long long skip, double now, double start)

@cython.locals(running=cython.longlong[::1], expected=cython.double[::1], first=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long[::1] _leaving(State state, long long skip, double now, double start)

cdef void _change_until(State state, long long row, long long sign, double after, double until, long long[:, ::1] free) noexcept

cdef void settle_start(State state, long long row, Profile profile) noexcept

cdef void settle_start_on_nodes(State state, long long row, Profile profile) noexcept

cdef void book_whole(State state, long long row, double begin, double end, Profile profile) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef void book_whole_nodes(State state, long long row, double begin, double end, Profile profile) noexcept

@cython.locals(i=cython.longlong, v=cython.longlong, r=cython.longlong)
cdef void _take_whole(State state, long long row, long long[:, ::1] free) noexcept
