cimport cython
from libc cimport math
from thinktime.models.engine.rooms cimport changing_profile
from thinktime.models.engine.rooms cimport fences
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport shapes
from thinktime.models.engine.rooms cimport node_profile
from thinktime.models.engine.rooms cimport node_room
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.codes cimport fences as fences_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms.node_profile cimport NodeProfiles
from thinktime.models.engine.rooms.pool_profile cimport PoolProfiles
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

@cython.locals(window=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void _add_windows(State state, double now, Profile profile) noexcept

@cython.locals(v=cython.longlong, first=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void _add_repairs(State state, Profile profile) noexcept

@cython.locals(table=cython.longlong[:, ::1])
cdef void _change_part(State state, long long row, long long sign, long long first, long long stop, long long i, Profile profile) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, resources=cython.longlong, i=cython.longlong)
cdef void _change(State state, long long row, long long sign, bint keeps, double begin, double end, Profile profile) noexcept

@cython.locals(found=bint, window=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef bint _let_in(State state, long long row, long long sign, Profile profile) noexcept

@cython.locals(i=cython.longlong)
cdef double _find(State state, long long row, double duration, double since, double before, Profile profile) noexcept

cdef void _settle(State state, long long row) noexcept

cdef class ChangingNodeProfiles(NodeProfiles):
    @cython.locals(first=cython.longlong, size=cython.longlong, shape=cython.longlong)
    cdef void add_processors(self, State state, long long row, long long[:, ::1] table) noexcept
    cdef long long places(self, State state) noexcept
    @cython.locals(table=cython.longlong[:, ::1], v=cython.longlong)
    cdef void change_step(self, State state, long long i, long long sign, long long[:, ::1] kept, Profile profile) noexcept
    @cython.locals(first=cython.longlong[:, ::1], v=cython.longlong, row=cython.longlong, j=cython.longlong, i=cython.longlong)
    cdef void idle_profile(self, State state, double now, Profile profile) noexcept
    @cython.locals(first=cython.longlong[:, ::1], row=cython.longlong, rest=cython.longlong, end=cython.double, stop=cython.longlong, i=cython.longlong)
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    @cython.locals(keeps=bint)
    cdef void book(self, State state, long long row, long long sign, double begin, double end, Profile profile) noexcept
    @cython.locals(keeps=bint)
    cdef void send_off(self, State state, long long row, long long sign, bint suspends, double begin, double end, Profile profile) noexcept
    cdef double earliest(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(own=Profile, start=cython.double)
    cdef double earliest_from(self, State state, long long row, double duration, double since, Profile profile) noexcept
    @cython.locals(own=Profile, start=cython.double)
    cdef bint fits_from_now(self, State state, long long row, double duration, Profile profile) noexcept
    @cython.locals(own=Profile, fitting=bint)
    cdef bint fits_at(self, State state, long long row, double begin, double duration, Profile profile) noexcept
    cdef bint fits_as_reserved(self, State state, long long row, double begin, Profile profile) noexcept
    @cython.locals(duration=cython.double, start=cython.double)
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept
    @cython.locals(i=cython.longlong, table=cython.longlong[:, ::1], v=cython.longlong)
    cdef void more_from(self, State state, double now, Profile profile) noexcept
