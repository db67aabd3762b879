cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine cimport usage
from thinktime.models.engine.codes cimport agent as agent_codes
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.usage cimport Usage

cdef double INFINITY
cdef double LARGEST
cdef long long NOBODY

cdef class Observing(Rule):
    cdef public long long sees
    cdef public long long sees_running
    cdef public long long sizes
    cdef public bint backfills
    cdef public bint may_idle
    cdef public long long answer
    cdef public long long chosen_count
    cdef public long long shown_count
    cdef public long long shown_at_work
    cdef public long long pending_count
    cdef public long long head
    cdef public bint resizes
    cdef public bint asked
    cdef public Usage accounts
    cdef public Profile profile
    cdef public long long[::1] chosen
    cdef public long long[::1] shown
    cdef public long long[::1] at_work
    cdef public long long[::1] pending
    cdef public long long[::1] pending_to
    cdef public double[::1] seen
    cdef public signed char[::1] allowed
    cdef public double[::1] standing

@cython.locals(found=bint, i=cython.longlong)
cdef bint is_chosen(Observing rule, long long row) noexcept

@cython.locals(n=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef void show(Observing rule, long long[::1] rows) noexcept

@cython.locals(seen=cython.double[::1], place=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef void look(State state, Observing rule, double now, long long left) noexcept

@cython.locals(seen=cython.double[::1], estimate=cython.double[::1], expected=cython.double[::1], scratch=cython.longlong[::1], started=cython.longlong, i=cython.longlong, j=cython.longlong, stop=cython.longlong, last=cython.longlong, ends_run=cython.double, row=cython.longlong, end=cython.double)
cdef void look_at_running(State state, Observing rule, double now, long long place) noexcept

cpdef void look_around(State state, Observing rule, double now, long long[::1] rows) noexcept

@cython.locals(first=cython.longlong, count=cython.longlong)
cdef long long place_shown(State state, Observing rule, long long row, long long number) noexcept

@cython.locals(first=cython.longlong, i=cython.longlong, j=cython.longlong, n=cython.longlong, row=cython.longlong, place=cython.longlong, own=cython.longlong, chosen=cython.longlong, lasting=cython.double, lasting_for=cython.longlong)
cdef void look_at_sizes(State state, Observing rule, double now) noexcept

cdef void write_size(Observing rule, long long place, long long size, double lasting) noexcept

@cython.locals(i=cython.longlong)
cdef bint may_have(State state, Observing rule, long long row, double now, long long place) noexcept
