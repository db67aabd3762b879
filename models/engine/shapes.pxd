cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport shapes as codes
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY
cdef double FINE
cdef long long NOBODY

cdef long long first_place(State state, long long row) noexcept

cdef long long stop_place(State state, long long row) noexcept

@cython.locals(first=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long place_below(State state, long long row, long long size) noexcept

cdef long long place_of(State state, long long row) noexcept

@cython.locals(size=cython.longlong)
cdef void take_size(State state, long long row, long long place) noexcept

cpdef void choose(State state, long long row, long long place) noexcept

@cython.locals(i=cython.longlong)
cdef void have_again(State state, long long[::1] rows, long long[::1] sizes) noexcept

cdef void begin_run(State state, Truth truth, long long row, double now) noexcept

cdef void stands_no_more(State state, long long row) noexcept

@cython.locals(form=cython.longlong)
cpdef bint may_be_resized(State state, long long row, double now) noexcept

cpdef bint may_be_given(State state, long long row, double now, long long place) noexcept

@cython.locals(found=bint, i=cython.longlong)
cdef bint asks(State state, long long row) noexcept

cdef bint may_last(State state, long long row, double until) noexcept

@cython.locals(worked=cython.double, each=cython.double, whole=cython.double)
cdef double limit_left(State state, long long row, double now) noexcept

@cython.locals(form=cython.longlong, left=cython.double, begin=cython.double, noticed=cython.double, end=cython.double)
cpdef double end_with(State state, long long row, double now, long long place) noexcept

@cython.locals(found=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef long long coming(State state) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong, end=cython.double)
cdef void book_coming(State state, double now, Profile profile) noexcept

@cython.locals(more=cython.double)
cdef double gain(State state, long long row, long long place) noexcept

cpdef void propose(State state, long long row, long long place) noexcept

@cython.locals(part=cython.longlong)
cdef long long part_of(State state, long long row, long long size) noexcept

@cython.locals(part=cython.longlong)
cdef long long like(State state, long long row, long long size) noexcept

cdef void part_is_over(State state) noexcept

@cython.locals(change=cython.double)
cdef void book_running(State state, long long row, long long sign, double begin, double end, Profile profile) noexcept

@cython.locals(part=cython.longlong)
cdef void book_part(State state, long long row, long long sign, double begin, double end, long long size, Profile profile) noexcept

cdef long long rest_of(State state, long long row) noexcept

@cython.locals(part=cython.longlong, fitting=bint)
cdef bint keeps_room(State state, long long row, long long size, double begin, double end, Profile profile) noexcept

@cython.locals(more=cython.longlong, part=cython.longlong, fitting=bint)
cdef bint has_room(State state, long long row, long long place, double until, Profile profile) noexcept

cdef double _end_in(State state, long long row, Profile profile) noexcept

@cython.locals(end=cython.double)
cdef bint _lasts(State state, long long row, double until, Profile profile) noexcept

@cython.locals(end=cython.double, now=cython.double, more=cython.longlong, part=cython.longlong, fitting=bint)
cdef bint grow_in(State state, long long row, long long place, double until, Profile profile) noexcept

cdef long long floor_of(State state, long long row, long long least) noexcept
