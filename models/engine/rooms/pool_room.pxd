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
    cdef TimeAndCount last_shadow(self, State state) noexcept
    cdef double head_start(self, State state, double now, long long head, long long started, long long skip, long long left) noexcept
    @cython.locals(earliest=cython.double, need=cython.longlong, i=cython.longlong, j=cython.longlong, stop=cython.longlong, ends_run=cython.double, ends_new=cython.double, time=cython.double)
    cdef TimeAndCount shadow_time(self, State state, double now, long long head, long long[::1] out, long long started, long long skip, long long later) noexcept
    cdef long long what_is_left(self, State state, long long first, double now) noexcept
    cdef bint has_room(self, State state, long long row, long long left) noexcept
    cdef void forget_what_is_left(self, State state) noexcept
    cdef long long begin_pass(self, State state, long long skip) noexcept

cdef bint _runs(State state, long long place) noexcept

@cython.locals(shortest=Shortest, nobody=bint, anew=bint)
cdef bint nobody_starts(State state, double now, double shadow, long long left, long long extra) noexcept
