cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport reasons
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.structure cimport TimeAndCount
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.shortest cimport Shortest
from thinktime.models.engine.parts cimport Room

cdef double INFINITY
cdef long long FEW
cdef long long OFTEN
cdef long long SELDOM

cdef class PoolRoom(Room):
    @cython.locals(head=cython.longlong, started=cython.longlong, need=cython.longlong, shadow=cython.double, later=cython.longlong, i=cython.longlong, row=cython.longlong, width=cython.longlong)
    cdef long long backfill(self, State state, double now, long long[::1] queue, long long k, long long skip, long long[::1] out, long long left) noexcept
    cdef void give_up(self, State state, long long row, long long place, long long[::1] gone) noexcept
    cdef long long lost(self, State state, long long row, long long[::1] gone) noexcept
    cdef void resize(self, State state, long long row, long long place) noexcept
    cdef TimeAndCount last_shadow(self, State state) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    @cython.locals(earliest=cython.double, need=cython.longlong, i=cython.longlong, j=cython.longlong, stop=cython.longlong, ends_run=cython.double, ends_new=cython.double, time=cython.double)
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept
    cdef void rewind(self, State state, long long[::1] rows) noexcept
    cdef bint fits_now(self, State state, long long row, long long left) noexcept
    cdef bint fits(self, State state, long long row, long long left) noexcept
    cdef bint fits_as_planned(self, State state, long long row, long long left) noexcept
    cdef bint proposed_fits(self, State state, long long row, long long left) noexcept
    cdef long long take_now(self, State state, long long row, long long left) noexcept
    cdef long long take(self, State state, long long row, long long left) noexcept
    cdef long long give(self, State state, long long row, long long left) noexcept
    cdef long long copied(self, State state, long long head, long long left) noexcept
    cdef bint hopeless(self, State state, long long row, long long left) noexcept
    cdef bint held_back(self, State state, long long row, long long started) noexcept
    cdef void hold_back(self, State state, long long row, long long started) noexcept
    cdef bint fits_beside(self, State state, long long row, long long head, long long left, long long later) noexcept
    cdef bint possible(self, State state, long long row) noexcept
    cdef bint must_evict(self, State state, long long row) noexcept
    cdef bint in_the_way(self, State state, long long row, long long victim) noexcept
    cdef void occupy(self, State state, long long row) noexcept
    cdef void vacate(self, State state, long long row) noexcept
    cdef void cut_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void ask_part(self, State state, long long row, long long part, long long size) noexcept
    cdef void note_part(self, State state, long long row, long long part) noexcept
    cdef void forget_part(self, State state) noexcept
    cpdef void plan_starts(self, State state, long long[::1] queue, long long[::1] rows) noexcept
    cdef double run_length(self, State state, long long row, double work) noexcept
    cpdef long long[::1] admitted_first(self, State state, long long[::1] rows)
    cdef bint has_news(self, State state) noexcept
    cdef bint gone_back(self, State state, long long row) noexcept

cdef bint _runs(State state, long long place) noexcept

@cython.locals(shortest=Shortest, nobody=bint, anew=bint)
cdef bint nobody_starts(State state, double now, double shadow, long long left, long long extra) noexcept
