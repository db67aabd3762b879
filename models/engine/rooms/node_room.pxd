cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

@cython.locals(free=cython.longlong[:, ::1])
cdef long long[:, ::1] left_table(State state)

@cython.locals(i=cython.longlong, over=cython.longlong, row=cython.longlong)
cdef long long nodes_begin_pass(State state, long long skip) noexcept

@cython.locals(row=cython.longlong, i=cython.longlong)
cdef void nodes_rewind(State state, long long[::1] rows) noexcept

@cython.locals(shape=cython.longlong, free=cython.longlong[:, ::1], lowest=cython.longlong)
cdef bint nodes_fits_now(State state, long long row, long long left) noexcept

@cython.locals(fitting=bint)
cdef bint finds_nodes(State state, long long row, long long lowest, long long[:, ::1] free) noexcept

@cython.locals(fitting=bint)
cdef bint nodes_fits(State state, long long row, long long left) noexcept

@cython.locals(shape=cython.longlong, count=cython.longlong, known=bint, exact=bint, fitting=bint)
cdef bint _find_later(State state, long long row) noexcept

cdef bint nodes_fits_as_planned(State state, long long row, long long left) noexcept

@cython.locals(shape=cython.longlong, places=cython.longlong[:, ::1], fitting=bint, i=cython.longlong, v=cython.longlong, r=cython.longlong)
cdef bint holds(State state, long long row, long long[:, ::1] free) noexcept

@cython.locals(fitting=bint)
cdef bint nodes_proposed_fits(State state, long long row, long long left) noexcept

cdef long long nodes_take_now(State state, long long row, long long left) noexcept

cdef long long nodes_take(State state, long long row, long long left) noexcept

cdef long long nodes_give(State state, long long row, long long left) noexcept

@cython.locals(places=cython.longlong[:, ::1], chunk=cython.longlong, alone=bint, i=cython.longlong, v=cython.longlong)
cdef void _give_later(State state, long long row) noexcept

@cython.locals(shape=cython.longlong)
cdef long long nodes_copied(State state, long long head, long long left) noexcept

@cython.locals(shape=cython.longlong)
cdef bint nodes_hopeless(State state, long long row, long long left) noexcept

cdef bint nodes_held_back(State state, long long row, long long started) noexcept

cdef void nodes_hold_back(State state, long long row, long long started) noexcept

@cython.locals(both=cython.longlong[:, ::1], now=cython.longlong[:, ::1], then=cython.longlong[:, ::1], lowest=cython.longlong, v=cython.longlong, r=cython.longlong)
cdef bint nodes_fits_beside(State state, long long row, long long head, long long left, long long later) noexcept

cdef TimeAndCount nodes_last_shadow(State state) noexcept

cdef bint nodes_possible(State state, long long row) noexcept

cdef bint nodes_must_evict(State state, long long row) noexcept

@cython.locals(places=cython.longlong[:, ::1], i=cython.longlong, j=cython.longlong)
cdef bint nodes_in_the_way(State state, long long row, long long victim) noexcept

cdef void nodes_occupy(State state, long long row) noexcept

@cython.locals(shape=cython.longlong, free=cython.longlong[:, ::1], blocks=cython.longlong[::1], chunk=cython.longlong, processors=cython.longlong, begin=cython.longlong, left=cython.longlong, size=cython.longlong, places=cython.longlong[:, ::1], v=cython.longlong, units=cython.longlong, count=cython.longlong)
cdef void _place_anywhere(State state, long long row) noexcept

@cython.locals(places=cython.longlong[:, ::1], i=cython.longlong, v=cython.longlong, stop=cython.longlong, until=cython.longlong)
cdef void _count_blocks(State state, long long row, long long sign) noexcept

cdef void nodes_vacate(State state, long long row) noexcept

@cython.locals(i=cython.longlong)
cdef void nodes_plan_starts(State state, long long[::1] queue, long long[::1] rows) noexcept
