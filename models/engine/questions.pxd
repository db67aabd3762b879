cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport room
from thinktime.models.engine cimport trials
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY

cdef long long without(State state, double now, long long[::1] gone, double[::1] times, long long[::1] free) noexcept

cdef long long without_overrunning(State state, double now, long long[::1] gone, double[::1] times, long long[::1] free) noexcept

@cython.locals(notice=cython.double[::1], n=cython.longlong, i=cython.longlong, row=cython.longlong, end=cython.double, suspends=bint)
cdef long long without_chosen(State state, double now, long long[::1] gone, double[::1] times, long long[::1] free) noexcept

@cython.locals(used=cython.longlong, rows=cython.longlong[::1], n=cython.longlong, planned=cython.longlong[:, ::1], each=cython.longlong, length=cython.double, found=cython.double, i=cython.longlong)
cpdef double answer(State state, double now, long long row, double time, long long[::1] chosen, long long[::1] gone, double[::1] times, long long[::1] free) noexcept
