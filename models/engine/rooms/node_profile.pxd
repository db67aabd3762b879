cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine.rooms cimport leaving
from thinktime.models.engine.rooms cimport node_room
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport tables
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms.pool_profile cimport PoolProfiles
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY
cdef long long MANY

cpdef long long width(State state) noexcept

@cython.locals(size=cython.longlong)
cdef long long[:, ::1] slab(State state, long long i, Profile profile)

@cython.locals(size=cython.longlong, n=cython.longlong, fresh=cython.longlong, j=cython.longlong)
cdef void split(State state, long long i, double time, Profile profile) noexcept

@cython.locals(i=cython.longlong)
cdef long long step_at(State state, double time, Profile profile) noexcept

cdef void join(State state, long long i, Profile profile) noexcept

@cython.locals(size=cython.longlong, n=cython.longlong, gone=cython.longlong, j=cython.longlong)
cdef void drop(long long i, Profile profile) noexcept

@cython.locals(a=cython.longlong[:, ::1], b=cython.longlong[:, ::1], v=cython.longlong, r=cython.longlong)
cdef bint _same(State state, long long i, Profile profile) noexcept

@cython.locals(shape=cython.longlong, single=bint, low=cython.longlong[:, ::1], i=cython.longlong, end=cython.double, j=cython.longlong, fitting=bint, lower=bint)
cdef double earliest_between(State state, long long row, double duration, double since, double before, Profile profile) noexcept

@cython.locals(lower=bint, v=cython.longlong, r=cython.longlong)
cdef bint lower_to(long long[:, ::1] low, long long[:, ::1] here) noexcept

@cython.locals(i=cython.longlong)
cdef void lowest(State state, double begin, double end, Profile profile) noexcept

@cython.locals(shape=cython.longlong, low=cython.longlong[:, ::1], fitting=bint)
cdef bint fits_between(State state, long long row, double begin, double end, Profile profile) noexcept

@cython.locals(stop=cython.longlong)
cdef void begin_running(State state, double now, long long skip, Profile profile) noexcept

cdef void _begin_left(State state, double now, long long skip, Profile profile) noexcept

cdef void begin_in_groups(State state, double now, long long skip, Profile profile) noexcept

cdef void reach(State state, double time, Profile profile) noexcept

@cython.locals(running=cython.longlong[::1], first=cython.longlong, time=cython.double, stop=cython.longlong, then=cython.double, begin=cython.longlong, many=bint, i=cython.longlong)
cdef void give_back(State state, bint booked, Profile profile) noexcept

@cython.locals(begin=cython.longlong, given=cython.longlong[:, ::1], i=cython.longlong)
cdef void give_back_group(State state, Profile profile) noexcept

@cython.locals(v=cython.longlong, r=cython.longlong)
cdef void add(long long[:, ::1] table, long long[:, ::1] more, long long sign) noexcept

@cython.locals(shape=cython.longlong, duration=cython.double, start=cython.double)
cdef double bring_forward(State state, long long row, double reserved, Profile profile) noexcept

@cython.locals(i=cython.longlong)
cdef bint _room_before(State state, long long shape, double before, Profile profile) noexcept

cdef class NodeProfiles(PoolProfiles):
    cdef long long width(self, State state) noexcept
    @cython.locals(i=cython.longlong)
    cdef void copy_profile(self, State state, Profile profile, Profile to) noexcept
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef void advance(self, State state, double now, Profile profile) noexcept
    cdef void step_at(self, State state, double time, Profile profile) noexcept
    @cython.locals(first=cython.longlong, stop=cython.longlong, i=cython.longlong)
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(start=cython.double)
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(start=cython.double, soon=cython.double)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    cdef bint part_holds(self, State state, long long part, double begin, double end, Profile profile) noexcept
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    cdef bint begin_sweep(self, State state) noexcept
    cdef bint crowds(self, State state) noexcept
    cdef long long narrowest(self, State state, long long[::1] rows) noexcept
    cdef long long left_now(self, State state, Profile profile) noexcept
