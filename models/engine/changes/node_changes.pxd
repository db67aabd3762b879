cimport cython
from libc cimport math
from thinktime.models.engine.interruptions cimport clearing
from thinktime.models.engine.rooms cimport fences
from thinktime.models.engine cimport gapped
from thinktime.models.engine.interruptions cimport interruptions
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport fences as fences_codes
from thinktime.models.engine.codes cimport interruptions as interruptions_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.changes.changes cimport ChangingChanges
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY

cdef void release(State state, long long row) noexcept

cdef void _note_node(State state, long long v) noexcept

@cython.locals(low=cython.longlong[:, ::1], fitting=bint)
cdef bint _would_fit(State state, long long row, double time) noexcept

cdef class ChangingNodeChanges(ChangingChanges):
    @cython.locals(i=cython.longlong, row=cython.longlong, waited=bint, cancels=bint, known=bint, other=cython.longlong, j=cython.longlong)
    cdef void hit_suspended(self, State state, Truth truth, double now, long long[::1] failing, long long k) noexcept
    cdef void close_nodes(self, State state, long long window) noexcept
    @cython.locals(i=cython.longlong)
    cdef void open_nodes(self, State state, long long window) noexcept
    @cython.locals(mine=cython.longlong[::1], rows=cython.longlong[::1], n=cython.longlong, row=cython.longlong, i=cython.longlong)
    cdef long long clear(self, State state, Truth truth, double now, long long window, long long k) noexcept
    @cython.locals(processors=cython.longlong, v=cython.longlong, i=cython.longlong)
    cdef long long go_down(self, State state, long long[::1] indices) noexcept
    cdef long long come_back(self, State state, long long index) noexcept
    @cython.locals(window=cython.longlong, i=cython.longlong)
    cdef bint never_starts(self, State state, long long row, double now) noexcept
    cdef void leave_nodes(self, State state, long long row, bint suspended) noexcept
    cpdef void let_go(self, State state, long long row) noexcept
