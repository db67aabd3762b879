cimport cython
from libc cimport math
from thinktime.models.engine cimport room
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.engine.rooms cimport fences
from thinktime.models.engine.rooms cimport node_profile
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef bint are_noted(State state) noexcept

cdef bint none_is_kept(State state) noexcept

@cython.locals(least=cython.double[::1])
cdef double[::1] none_so_far(State state)

@cython.locals(shape=cython.longlong)
cdef void forget(double[::1] least) noexcept

@cython.locals(idle=cython.longlong, i=cython.longlong)
cdef long long idle_processors(State state, long long[::1] started, long long skip) noexcept

@cython.locals(least=cython.double, i=cython.longlong)
cdef double shortest(State state, long long[::1] rows) noexcept

@cython.locals(end=cython.double, now=cython.longlong[:, ::1], found=cython.longlong, v=cython.longlong, left=cython.longlong, i=cython.longlong)
cdef long long usable(State state, double length, long long most, Profile profile) noexcept

cdef bint fits_from_now(State state, long long row, double length, bint noted, Profile profile) noexcept

@cython.locals(since=cython.double, shape=cython.longlong, i=cython.longlong, other=cython.longlong, kind=cython.longlong)
cdef double not_before(State state, long long row, long long[::1] reserved, double[::1] begins) noexcept

@cython.locals(shape=cython.longlong, other=cython.longlong)
cdef void note(State state, long long row, double length, double[::1] least) noexcept

@cython.locals(a=cython.longlong, b=cython.longlong, more=bint, r=cython.longlong, v=cython.longlong)
cdef bint _asks_for_more(State state, long long shape, long long other) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong)
cdef long long next_candidate(State state, long long[::1] rows, long long first, double edge, long long idle, double[::1] least) noexcept

cdef bint _is_admitted(State state, long long row) noexcept

@cython.locals(found=bint, j=cython.longlong)
cdef bint is_let_in(State state, long long row) noexcept
