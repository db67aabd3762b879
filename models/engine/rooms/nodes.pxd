cimport cython
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.machine_state cimport State


@cython.locals(r=cython.longlong)
cdef bint takes(State state, long long chunk, bint alone, long long v, long long[:, ::1] free) noexcept

@cython.locals(allocator=cython.longlong, best=cython.longlong, v=cython.longlong, r=cython.longlong)
cdef long long pick(State state, long long chunk, bint alone, long long begin, long long[:, ::1] free) noexcept

@cython.locals(units=cython.longlong, need=cython.longlong[:, ::1], r=cython.longlong)
cdef long long _units(State state, long long chunk, bint single, long long v, long long most, long long[:, ::1] free) noexcept

@cython.locals(count=cython.longlong, room=cython.longlong, first=cython.longlong, nodes=cython.longlong, v=cython.longlong, units=cython.longlong, need=cython.longlong, r=cython.longlong)
cdef long long _list_runs(State state, long long chunk, bint single, bint alone, long long[:, ::1] free, long long[::1] runs) noexcept

@cython.locals(count=cython.longlong, v=cython.longlong, stop=cython.longlong, first=cython.longlong, room=cython.longlong)
cdef long long _list_runs_of_processors(long long[:, ::1] free, signed char[::1] taken, long long[::1] runs) noexcept

@cython.locals(single=bint, alone=bint, best=cython.longlong, place=cython.longlong, v=cython.longlong, most=cython.longlong, i=cython.longlong, room=cython.longlong, better=bint, begin=cython.longlong, stop=cython.longlong, holds=bint)
cdef (long long, long long) _next_nodes(State state, long long shape, long long chunk, long long left, long long[:, ::1] free, long long[::1] runs, long long count) noexcept

@cython.locals(serial=bint)
cdef bint _goes_last(State state, long long shape, long long chunk) noexcept

cdef bint has_places(State state) noexcept

@cython.locals(fitting=bint, begin=cython.longlong, size=cython.longlong, places=cython.longlong[:, ::1], need=cython.longlong[:, ::1], apart=bint, alone=bint, chunk=cython.longlong, left=cython.longlong, v=cython.longlong, stop=cython.longlong, units=cython.longlong, r=cython.longlong, last=cython.longlong, same=bint, i=cython.longlong, before=cython.longlong, in_runs=bint, count=cython.longlong, runs=cython.longlong[::1])
cpdef bint find(State state, long long shape, long long lowest, long long[:, ::1] free) noexcept

@cython.locals(begin=cython.longlong, size=cython.longlong, held=cython.longlong[::1], places=cython.longlong[:, ::1], i=cython.longlong)
cpdef void settle(State state, long long row) noexcept

cpdef void change(State state, long long row, long long shape, long long sign, long long[:, ::1] free) noexcept

@cython.locals(places=cython.longlong[:, ::1], need=cython.longlong[:, ::1], j=cython.longlong, row=cython.longlong, alone=bint, i=cython.longlong, r=cython.longlong, amount=cython.longlong, v=cython.longlong)
cdef void change_each(State state, long long[::1] rows, long long sign, long long[:, ::1] free) noexcept

@cython.locals(alone=cython.longlong, places=cython.longlong[:, ::1], i=cython.longlong, r=cython.longlong, amount=cython.longlong, v=cython.longlong)
cdef void change_part(State state, long long begin, long long size, long long shape, long long sign, long long[:, ::1] free, long long first, long long stop) noexcept

cdef void give_found(State state, long long shape, long long[:, ::1] free) noexcept

cdef bint has_one_chunk(State state, long long shape) noexcept

@cython.locals(places=cython.longlong[:, ::1], given=cython.longlong[::1], i=cython.longlong, v=cython.longlong)
cdef void note_room(State state, long long row) noexcept

@cython.locals(given=cython.longlong[::1], count=cython.longlong, tried=cython.longlong[::1], lowest=cython.longlong[::1], chunk=cython.longlong, i=cython.longlong, v=cython.longlong)
cdef long long lowest_of(State state, long long shape, long long[:, ::1] free) noexcept

@cython.locals(chunk=cython.longlong, need=cython.longlong[::1], alone=bint, one_each=bint, left=cython.longlong, v=cython.longlong, units=cython.longlong, r=cython.longlong)
cdef bint room(State state, long long shape, long long[:, ::1] free) noexcept

@cython.locals(v=cython.longlong)
cdef bint has_processors(long long[:, ::1] free, long long left) noexcept
