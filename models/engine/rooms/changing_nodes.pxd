cimport cython
from libc cimport math
from thinktime.models.engine.rooms cimport changing_room
from thinktime.models.engine.rooms cimport fences
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine.rooms cimport node_parts
from thinktime.models.engine.rooms cimport node_room
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport fences as fences_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.rooms.node_room cimport NodeRoom
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

@cython.locals(left=cython.longlong, now=cython.double, v=cython.longlong)
cpdef long long left_for_anybody(State state) noexcept

cdef void _note(State state, long long row, long long sign, double begin) noexcept

@cython.locals(found=bint, row=cython.longlong, i=cython.longlong)
cdef bint _any_is_suspended_soon(State state) noexcept

@cython.locals(later=cython.longlong[:, ::1], expected=cython.double[::1], running=cython.longlong[::1], estimate=cython.double[::1], earliest=cython.double, i=cython.longlong, stop=cython.longlong, time=cython.double, following=cython.double, row=cython.longlong, end=cython.double, v=cython.longlong, j=cython.longlong, k=cython.longlong)
cdef double _shadow_beside_windows(State state, double now, long long head, long long[::1] started) noexcept

@cython.locals(rest=cython.longlong)
cdef void _give_rest(State state, long long row, double since, double until, long long sign) noexcept

@cython.locals(following=cython.double, window=cython.longlong, v=cython.longlong, row=cython.longlong, j=cython.longlong, i=cython.longlong)
cdef double _next_known_after(State state, double time) noexcept

@cython.locals(then=cython.double, later=cython.longlong[:, ::1], fitting=bint)
cdef bint _take_later(State state, long long row) noexcept

cdef void _give_later(State state, long long row) noexcept

@cython.locals(serves=bint, row=cython.longlong, i=cython.longlong)
cdef bint _any_node_serves(State state) noexcept

cdef class ChangingNodeRoom(NodeRoom):
    cdef double run_length(self, State state, long long row, double work) noexcept
    cdef void give_up(self, State state, long long row, long long place, long long[::1] gone) noexcept
    cdef long long lost(self, State state, long long row, long long[::1] gone) noexcept
    cdef void resize(self, State state, long long row, long long place) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    @cython.locals(shadow=cython.double, left=cython.longlong)
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    @cython.locals(left=cython.longlong)
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept
    @cython.locals(i=cython.longlong)
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    @cython.locals(now=cython.double, free=cython.longlong[:, ::1], single=bint, fitting=bint)
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    @cython.locals(fitting=bint)
    cdef bint fits(self, State state, long long row, long long left) noexcept
    @cython.locals(free=cython.longlong[:, ::1], fitting=bint)
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    @cython.locals(need=cython.longlong)
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    @cython.locals(need=cython.longlong)
    cdef long long take(self, State state, long long row, long long left) noexcept
    @cython.locals(need=cython.longlong)
    cdef long long give(self, State state, long long row, long long left) noexcept
    cdef bint hopeless(self, State state, long long row, long long left) noexcept
    cdef bint held_back(self, State state, long long row, long long started) noexcept
    cdef void hold_back(self, State state, long long row, long long started) noexcept
    @cython.locals(now=cython.double, then=cython.double, both=cython.longlong[:, ::1], v=cython.longlong, r=cython.longlong, fitting=bint)
    cdef bint fits_beside(self, State state, long long row, long long head, long long left, long long later) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
