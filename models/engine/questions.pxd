cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine.rooms cimport trials
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.limits cimport growth
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef void without(State state, double now, long long[::1] gone, Profile profile) noexcept

cdef void without_overrunning(State state, double now, long long[::1] gone, Profile profile) noexcept

@cython.locals(notice=cython.double[::1], i=cython.longlong, row=cython.longlong, end=cython.double, suspends=bint)
cdef void without_chosen(State state, double now, long long[::1] gone, Profile profile) noexcept

@cython.locals(used=cython.longlong, profile=Profile, rows=cython.longlong[::1], planned=cython.longlong[:, ::1], skip=cython.longlong, found=cython.double, i=cython.longlong)
cpdef double answer(State state, double now, long long row, double time, long long[::1] chosen, long long[::1] gone) noexcept

@cython.locals(each=cython.longlong, length=cython.double, i=cython.longlong)
cdef void _book(State state, double now, long long[::1] chosen, Profile profile) noexcept

@cython.locals(until=cython.double, more=cython.longlong, planned=cython.longlong[:, ::1], fitting=bint)
cpdef bint may_grow(State state, double now, long long row, long long place, long long[::1] chosen, long long[::1] gone) noexcept

@cython.locals(until=cython.double, more=cython.longlong)
cpdef bint grows(State state, double now, long long row, long long place, bint first) noexcept

@cython.locals(left=cython.longlong, taken=cython.longlong, fitting=bint, i=cython.longlong)
cdef bint fits_beside(State state, double now, long long row, long long[::1] chosen, long long skip) noexcept
