cimport cython
from libc cimport math
from thinktime.models.engine cimport availability
from thinktime.models.engine cimport changing_profile
from thinktime.models.engine cimport fences
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine cimport node_profile
from thinktime.models.engine cimport node_room
from thinktime.models.engine cimport nodes
from thinktime.models.engine cimport profile
from thinktime.models.engine cimport trials
from thinktime.models.engine.codes cimport fences as fences_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.structure cimport TimeAndCount

cdef double INFINITY

@cython.locals(i=cython.longlong)
cdef (long long, long long) _at(State state, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong)
cdef (long long, long long, long long) _between(State state, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long _join(State state, long long i, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(window=cython.longlong, first=cython.longlong, stop=cython.longlong, i=cython.longlong, i_window=cython.longlong)
cdef long long _add_windows(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(v=cython.longlong, first=cython.longlong, i=cython.longlong, i_v=cython.longlong)
cdef long long _add_repairs(State state, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(first=cython.longlong[:, ::1], v=cython.longlong, row=cython.longlong, n=cython.longlong, i_v=cython.longlong, i_row=cython.longlong)
cdef long long idle_nodes(State state, double now, double[::1] times, long long[::1] free) noexcept

@cython.locals(first=cython.longlong[:, ::1], n=cython.longlong, row=cython.longlong, end=cython.double, stop=cython.longlong, i_row=cython.longlong)
cdef long long running_nodes(State state, double now, long long skip, double[::1] times, long long[::1] free) noexcept

@cython.locals(table=cython.longlong[:, ::1])
cdef void _change_part(State state, long long row, long long sign, long long first, long long stop, long long i, long long[::1] free) noexcept

cdef long long book_on_nodes(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, resources=cython.longlong, i=cython.longlong)
cdef long long _change(State state, long long row, long long sign, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(first=cython.longlong, stop=cython.longlong, i=cython.longlong)
cdef long long send_off_on_nodes(State state, long long row, long long sign, bint suspends, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(found=bint, window=cython.longlong, i=cython.longlong, i_window=cython.longlong)
cdef bint _let_in(State state, long long row, long long sign, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong)
cdef void _lowest(State state, double begin, double end, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong)
cdef double _find(State state, long long row, double duration, double before, double[::1] times, long long[::1] free, long long n) noexcept

cdef void _settle(State state, long long row) noexcept

@cython.locals(start=cython.double)
cdef double earliest_on_nodes(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(start=cython.double)
cdef bint fits_from_now_on_nodes(State state, long long row, double duration, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(fitting=bint)
cdef bint fits_at_on_nodes(State state, long long row, double begin, double duration, double[::1] times, long long[::1] free, long long n) noexcept

cdef bint fits_as_reserved_on_nodes(State state, long long row, double begin, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(duration=cython.double, start=cython.double)
cdef TimeAndCount bring_forward_on_nodes(State state, long long row, double reserved, double reach, double[::1] tried, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(i=cython.longlong, table=cython.longlong[:, ::1], v=cython.longlong)
cdef long long nodes_come_back(State state, double now, double[::1] times, long long[::1] free, long long n) noexcept

cdef long long nodes_step_at(State state, double time, double[::1] times, long long[::1] free, long long n) noexcept

@cython.locals(table=cython.longlong[:, ::1], v=cython.longlong)
cdef void nodes_change_step(State state, long long i, long long sign, long long[:, ::1] kept, long long[::1] free) noexcept

cdef void copy_slabs(State state, double[::1] times, long long[::1] free, long long n, long long more, double[::1] to_times, long long[::1] to_free) noexcept

cdef long long node_places(State state) noexcept

cdef void add_processors_on_nodes(State state, long long row, long long[:, ::1] table) noexcept
