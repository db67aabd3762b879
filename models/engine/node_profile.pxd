cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport availability
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport node_room
from thinktime.models.engine cimport nodes
from thinktime.models.engine cimport profile
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport tables
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

cpdef long long width(State state) noexcept

@cython.locals(size=cython.longlong)
cdef long long[:, ::1] slab(State state, long long i, long long[::1] free)

@cython.locals(size=cython.longlong, fresh=cython.longlong, j=cython.longlong)
cdef long long split(State state, long long i, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(size=cython.longlong, gone=cython.longlong, j=cython.longlong)
cdef long long drop(State state, long long i, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(a=cython.longlong[:, ::1], b=cython.longlong[:, ::1], v=cython.longlong, r=cython.longlong)
cdef bint same(State state, long long i, long long[::1] free) noexcept

cdef long long nodes_idle_profile(State state, double now, double[::1] times, long long[::1] free) noexcept

@cython.locals(n=cython.longlong, row=cython.longlong, end=cython.double, i=cython.longlong)
cdef long long nodes_running_profile(State state, double now, long long skip, double[::1] times, long long[::1] free) noexcept

cdef long long nodes_advance(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong, j=cython.longlong)
cdef long long nodes_book(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(start=cython.double)
cdef double nodes_earliest(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(start=cython.double)
cdef bint nodes_fits_from_now(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(shape=cython.longlong, single=bint, low=cython.longlong[:, ::1], i=cython.longlong, end=cython.double, j=cython.longlong, fitting=bint, lower=bint)
cdef double earliest_between(State state, long long row, double duration, double since, double before, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(lower=bint, v=cython.longlong, r=cython.longlong)
cdef bint lower_to(long long[:, ::1] low, long long[:, ::1] here) noexcept

@cython.locals(chunk=cython.longlong, need=cython.longlong[::1], alone=bint, one_each=bint, left=cython.longlong, v=cython.longlong, units=cython.longlong, r=cython.longlong)
cdef bint room(State state, long long shape, long long[:, ::1] free) noexcept

@cython.locals(i=cython.longlong, shape=cython.longlong, low=cython.longlong[:, ::1], fitting=bint)
cdef bint nodes_fits_at(State state, long long row, double begin, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(shape=cython.longlong, duration=cython.double, start=cython.double)
cdef TimeAndCount nodes_bring_forward(State state, long long row, double reserved, double reach, double[::1] tried, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong)
cdef bint _room_before(State state, long long shape, double before, double[::1] times, long long[::1] free, long long n) noexcept

cdef bint nodes_begin_sweep(State state) noexcept

cdef bint nodes_crowds(State state) noexcept

cdef long long nodes_narrowest(State state, long long[::1] rows) noexcept

cdef long long nodes_left_now(State state, long long[::1] free) noexcept
