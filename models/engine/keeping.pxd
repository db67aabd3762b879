cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport keeping as keeping_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY

cdef bint active(State state) noexcept

@cython.locals(own=cython.double)
cdef bint will_keep(State state, long long row) noexcept

@cython.locals(n=cython.longlong, rows=cython.longlong[::1], row=cython.longlong, i_row=cython.longlong)
cdef long long[::1] _keeping(State state)

@cython.locals(before=cython.longlong, found=bint, other=cython.longlong, i_other=cython.longlong, others_here=cython.longlong[::1])
cdef bint concerns(State state, long long row) noexcept

cdef bint _keeps_at(State state, long long row, double time) noexcept

@cython.locals(end=cython.double)
cdef (double, double) _presence(State state, long long row) noexcept

cdef void add_processors(State state, long long row, long long[:, ::1] table) noexcept

cdef long long places(State state) noexcept

@cython.locals(above=cython.longlong[::1], i=cython.longlong, keeper=cython.longlong, j=cython.longlong, begin=cython.double, end=cython.double)
cdef long long[::1] _above(State state, long long[::1] rows, long long asker, double time)

@cython.locals(n=cython.longlong, k=cython.longlong, order=cython.longlong[::1], below=cython.longlong[::1], done=cython.longlong[::1], place=cython.longlong, chosen=cython.longlong, i=cython.longlong, i_place=cython.longlong)
cdef long long[::1] _lowest_first(State state, long long[::1] above)

@cython.locals(rows=cython.longlong[::1], size=cython.longlong, above=cython.longlong[::1], kept=cython.longlong[:, ::1], own=cython.longlong[:, ::1], behind=cython.longlong[:, ::1], inside=cython.longlong[:, ::1], some=bint, i=cython.longlong, first=cython.longlong, j=cython.longlong, v=cython.longlong, amount=cython.longlong, i_i=cython.longlong, is_here=cython.longlong[::1])
cdef long long[:, ::1] kept_at(State state, long long asker, double time)

@cython.locals(before=cython.longlong, kept=cython.longlong[:, ::1], v=cython.longlong)
cdef void change_now(State state, long long sign, long long asker, double time, long long[:, ::1] free) noexcept

cdef long long step_at(State state, double time, double[::1] times, long long[::1] free, long long n) noexcept

cdef void change_step(State state, long long i, long long sign, long long[:, ::1] kept, long long[::1] free) noexcept

cdef long long width(State state) noexcept

cdef void copy_profile(State state, double[::1] times, long long[::1] free, long long n, long long more, double[::1] to_times, long long[::1] to_free) noexcept

@cython.locals(before=cython.longlong, now=cython.double, row=cython.longlong, edge=cython.double, begin=cython.double, end=cython.double, i=cython.longlong, i_row=cython.longlong, rows_here=cython.longlong[::1])
cdef long long _change(State state, long long sign, long long asker, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long lay(State state, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long lift(State state, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(more=cython.longlong, own_times=cython.double[::1], own_free=cython.longlong[::1])
cdef tuple seen_by(State state, long long row, double[::1] times, long long[::1] free, long long n)

@cython.locals(before=cython.longlong, row=cython.longlong, i_row=cython.longlong, rows_here=cython.longlong[::1])
cdef void forget_bookings(State state) noexcept

cdef void book_nothing(State state, long long row) noexcept

cdef void note_booking(State state, long long row, long long sign, double begin, double end) noexcept
