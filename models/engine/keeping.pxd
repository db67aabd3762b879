cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport keeping as keeping_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef bint active(State state) noexcept

@cython.locals(own=cython.double)
cdef bint will_keep(State state, long long row) noexcept

@cython.locals(n=cython.longlong, rows=cython.longlong[::1], row=cython.longlong, i=cython.longlong)
cdef long long[::1] _keeping(State state)

@cython.locals(before=cython.longlong, found=bint, other=cython.longlong, others_here=cython.longlong[::1], i=cython.longlong)
cdef bint concerns(State state, long long row) noexcept

cdef bint _keeps_at(State state, long long row, double time) noexcept

@cython.locals(end=cython.double)
cdef (double, double) _presence(State state, long long row) noexcept

@cython.locals(above=cython.longlong[::1], i=cython.longlong, keeper=cython.longlong, j=cython.longlong, begin=cython.double, end=cython.double)
cdef long long[::1] _above(State state, long long[::1] rows, long long asker, double time)

@cython.locals(n=cython.longlong, k=cython.longlong, order=cython.longlong[::1], below=cython.longlong[::1], done=cython.longlong[::1], place=cython.longlong, chosen=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef long long[::1] _lowest_first(State state, long long[::1] above)

@cython.locals(rows=cython.longlong[::1], size=cython.longlong, above=cython.longlong[::1], kept=cython.longlong[:, ::1], own=cython.longlong[:, ::1], behind=cython.longlong[:, ::1], inside=cython.longlong[:, ::1], some=bint, i=cython.longlong, first=cython.longlong, j=cython.longlong, v=cython.longlong, amount=cython.longlong, is_here=cython.longlong[::1], k=cython.longlong)
cdef long long[:, ::1] kept_at(State state, long long asker, double time)

@cython.locals(before=cython.longlong, kept=cython.longlong[:, ::1], v=cython.longlong)
cdef void change_now(State state, long long sign, long long asker, double time, long long[:, ::1] free) noexcept

@cython.locals(before=cython.longlong, now=cython.double, row=cython.longlong, edge=cython.double, begin=cython.double, end=cython.double, i=cython.longlong, rows_here=cython.longlong[::1], j=cython.longlong)
cdef void _change(State state, long long sign, long long asker, Profile profile) noexcept

cdef void lay(State state, Profile profile) noexcept

cdef void lift(State state, Profile profile) noexcept

@cython.locals(own=Profile)
cdef Profile seen_by(State state, long long row, Profile profile)

@cython.locals(before=cython.longlong, row=cython.longlong, rows_here=cython.longlong[::1], i=cython.longlong)
cdef void forget_bookings(State state) noexcept

cdef void book_nothing(State state, long long row) noexcept

cdef void note_booking(State state, long long row, long long sign, double begin, double end) noexcept
