cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine.rooms cimport leaving
from thinktime.models.engine.rooms cimport node_parts
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms.pool_room cimport PoolRoom
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

@cython.locals(free=cython.longlong[:, ::1])
cdef long long[:, ::1] left_table(State state)

@cython.locals(fitting=bint)
cdef bint finds_nodes(State state, long long row, long long lowest, long long[:, ::1] free) noexcept

@cython.locals(shape=cython.longlong, count=cython.longlong, known=bint, exact=bint, fitting=bint)
cdef bint _find_later(State state, long long row) noexcept

@cython.locals(shape=cython.longlong, places=cython.longlong[:, ::1], fitting=bint, i=cython.longlong, v=cython.longlong, r=cython.longlong)
cdef bint holds(State state, long long row, long long[:, ::1] free) noexcept

@cython.locals(places=cython.longlong[:, ::1], chunk=cython.longlong, alone=bint, i=cython.longlong, v=cython.longlong)
cdef void _give_later(State state, long long row) noexcept

@cython.locals(shape=cython.longlong, free=cython.longlong[:, ::1], blocks=cython.longlong[::1], chunk=cython.longlong, processors=cython.longlong, begin=cython.longlong, left=cython.longlong, size=cython.longlong, places=cython.longlong[:, ::1], v=cython.longlong, units=cython.longlong, count=cython.longlong)
cdef void _place_anywhere(State state, long long row) noexcept

@cython.locals(places=cython.longlong[:, ::1], i=cython.longlong, v=cython.longlong, stop=cython.longlong, until=cython.longlong)
cdef void _count_blocks(State state, long long row, long long sign) noexcept

cdef class NodeRoom(PoolRoom):
    @cython.locals(started=cython.longlong, i=cython.longlong)
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    @cython.locals(i=cython.longlong, over=cython.longlong, row=cython.longlong)
    cdef long long begin_pass(self, State state, long long skip) noexcept
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    @cython.locals(shape=cython.longlong, free=cython.longlong[:, ::1], lowest=cython.longlong)
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    @cython.locals(fitting=bint)
    cdef bint fits(self, State state, long long row, long long left) noexcept
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    @cython.locals(fitting=bint)
    cdef bint proposed_fits(self, State state, long long row, long long left) noexcept
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef long long take(self, State state, long long row, long long left) noexcept
    cdef long long give(self, State state, long long row, long long left) noexcept
    @cython.locals(shape=cython.longlong)
    cdef long long copied(self, State state, long long head, long long left) noexcept
    @cython.locals(shape=cython.longlong)
    cdef bint hopeless(self, State state, long long row, long long left) noexcept
    cdef bint held_back(self, State state, long long row, long long started) noexcept
    cdef void hold_back(self, State state, long long row, long long started) noexcept
    @cython.locals(both=cython.longlong[:, ::1], now=cython.longlong[:, ::1], then=cython.longlong[:, ::1], lowest=cython.longlong, v=cython.longlong, r=cython.longlong)
    cdef bint fits_beside(self, State state, long long row, long long head, long long left, long long later) noexcept
    cdef TimeAndCount last_shadow(self, State state) noexcept
    cdef bint possible(self, State state, long long row) noexcept
    cdef bint must_evict(self, State state, long long row) noexcept
    @cython.locals(places=cython.longlong[:, ::1], i=cython.longlong, j=cython.longlong)
    cdef bint in_the_way(self, State state, long long row, long long victim) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    @cython.locals(i=cython.longlong)
    cdef void cut_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void ask_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void note_part(self, State state, long long row, long long part) noexcept
    cdef void forget_part(self, State state) noexcept
    cpdef void plan_starts(self, State state, long long[::1] queue, long long[::1] rows) noexcept
