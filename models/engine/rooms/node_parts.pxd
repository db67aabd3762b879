cimport cython
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms cimport nodes

cdef long long pieces_of(State state, long long row, long long size) noexcept

@cython.locals(chunk=cython.longlong, own=cython.longlong, shape=cython.longlong)
cdef void describe(State state, long long row, long long part, long long size) noexcept

@cython.locals(shape=cython.longlong, i=cython.longlong, v=cython.longlong)
cdef void ask(State state, long long row, long long part, long long size) noexcept

@cython.locals(chunk=cython.longlong, shape=cython.longlong)
cdef void forget(State state) noexcept

@cython.locals(first=cython.longlong)
cdef long long _block(State state, long long count) noexcept

@cython.locals(count=cython.longlong, offset=cython.longlong, begin=cython.longlong, whole=cython.longlong, left=cython.longlong, skipped=cython.longlong)
cdef void cut(State state, long long row, long long part, long long size) noexcept

@cython.locals(places=cython.longlong[:, ::1], n=cython.longlong, i=cython.longlong, units=cython.longlong, v=cython.longlong, here=cython.longlong, last=cython.longlong)
cdef long long _copy(State state, long long offset, long long count, long long begin, long long skipped, long long left, long long chunk) noexcept

@cython.locals(count=cython.longlong, first=cython.longlong, i=cython.longlong)
cdef void note_more(State state, long long row, long long part) noexcept

@cython.locals(size=cython.longlong, before=cython.longlong, shape=cython.longlong, chunk=cython.longlong, count=cython.longlong, offset=cython.longlong, more=cython.longlong, found=cython.longlong, kept=cython.longlong, first=cython.longlong, n=cython.longlong, i=cython.longlong)
cdef void resize(State state, long long row, long long place) noexcept

@cython.locals(found=bint, i=cython.longlong)
cdef bint _goes(long long[::1] gone, long long v) noexcept

@cython.locals(pieces=cython.longlong, i=cython.longlong, v=cython.longlong)
cdef long long count_of(State state, long long row, long long[::1] gone) noexcept

@cython.locals(shape=cython.longlong, count=cython.longlong, offset=cython.longlong, lost=cython.longlong, room=cython.longlong, first=cython.longlong, n=cython.longlong, places=cython.longlong[:, ::1], i=cython.longlong, v=cython.longlong, last=cython.longlong, units=cython.longlong)
cdef void leave(State state, long long row, long long[::1] gone) noexcept
