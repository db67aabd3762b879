cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State

cdef double INFINITY

@cython.locals(found=bint, i=cython.longlong)
cpdef bint admits(State state, long long window, long long row) noexcept

cdef bint is_open(State state, long long window) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef bint admitted_now(State state, long long row) noexcept

@cython.locals(time=cython.double, row=cython.longlong, i=cython.longlong)
cdef double next_return(State state) noexcept

@cython.locals(n=cython.longlong, i=cython.longlong)
cdef long long drop(long long[::1] rows, long long count, long long row) noexcept

cdef void begin_run(State state, long long row) noexcept

cdef void end_run(State state, long long row) noexcept

cdef void set_aside(State state, long long row) noexcept

cdef void go_on(State state, long long row) noexcept

@cython.locals(window=cython.longlong, processor=cython.longlong, j=cython.longlong, i=cython.longlong)
cdef void look_ahead(State state, double now) noexcept
