cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine.codes cimport end_groups as groups_codes
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport tables
from thinktime.models.engine.end_groups cimport EndGroups
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.rooms cimport nodes
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

@cython.locals(groups=EndGroups, end=cython.double, slot=cython.longlong)
cdef void note(State state, long long row, long long sign) noexcept

@cython.locals(groups=EndGroups)
cdef long long[:, ::1] _table(State state, long long slot)

@cython.locals(groups=EndGroups, size=cython.longlong)
cdef double look_at_ends(State state, double now, long long skip) noexcept

@cython.locals(groups=EndGroups)
cdef void begin(State state, double since, double length, double linear) noexcept

@cython.locals(lower=cython.double, since=cython.double, reach=cython.double, more=cython.double)
cdef (double, double) interval(EndGroups groups, double time) noexcept

@cython.locals(groups=EndGroups, time=cython.double, lower=cython.double, upper=cython.double, last=cython.double, i=cython.longlong, end=cython.double)
cdef double next_group(State state) noexcept

@cython.locals(i=cython.longlong)
cdef double last_running(State state, double lower, double upper) noexcept

@cython.locals(groups=EndGroups, slot=cython.longlong, lower=cython.double, upper=cython.double)
cdef long long[:, ::1] given_by(State state, long long group)

@cython.locals(slot=cython.longlong, reach=cython.double)
cdef long long _slot(EndGroups groups, long long group) noexcept

@cython.locals(early=cython.double, late=cython.double, spare=Spare, i=cython.longlong, n=cython.longlong, before=cython.longlong, running=cython.longlong[::1], rows=cython.longlong[::1])
cdef void _change(State state, long long slot, double begin, double end) noexcept

@cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long _place_after(State state, double time) noexcept

@cython.locals(i=cython.longlong)
cdef double _next_end(State state, double after) noexcept
