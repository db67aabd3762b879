cimport cython
from thinktime.models.engine cimport keeping
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport fences as fences_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State


cdef long long closed(long long window) noexcept

cdef void change_processors(State state, long long row, long long sign, long long[:, ::1] free) noexcept

cdef void change_others(State state, long long row, long long sign, long long[:, ::1] free) noexcept

@cython.locals(i=cython.longlong, r=cython.longlong)
cdef void change_nodes(State state, long long window, long long amount, long long[:, ::1] free) noexcept

@cython.locals(r=cython.longlong)
cdef void change_node(long long v, long long amount, long long[:, ::1] free) noexcept

cdef bint lets_in(State state, long long window, long long row) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void fence(State state, long long row, double begin, double end) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong, j=cython.longlong)
cdef void unfence(State state) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef void let_in(State state, long long row, long long sign, long long[:, ::1] free) noexcept

cdef bint is_special(State state, long long row) noexcept

@cython.locals(places=cython.longlong[:, ::1], fitting=bint, i=cython.longlong, v=cython.longlong)
cdef bint resumes(State state, long long row, long long[:, ::1] free) noexcept

@cython.locals(window=cython.longlong, i=cython.longlong)
cdef void ignore_windows(State state, long long[:, ::1] free) noexcept

cdef void give_at_end(State state, long long row, long long[:, ::1] free) noexcept
