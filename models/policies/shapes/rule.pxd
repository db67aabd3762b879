cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport shapes
from thinktime.models.engine.changes cimport resizing
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport shapes as codes
from thinktime.models.engine.limits cimport growth
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rooms cimport trials
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.structure cimport CountAndTime
from thinktime.models.policies.shapes cimport choosing

cdef class Around(Rule):
    cdef public Rule base
    cdef public Profile profile
    cdef CountAndTime reserve_first(self, State state, double now, long long[::1] rows) noexcept
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    cpdef void barred(self, State state, double now, long long[::1] rows) except *
    cpdef void put_off(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cpdef void revised(self, State state, double now, long long[::1] rows) except *
    cpdef void interrupted(self, State state, double now, long long[::1] rows) except *
    cpdef void resizing(self, State state, double now, long long[::1] rows) except *
    cpdef void resized(self, State state, double now, long long[::1] rows) except *
    cdef Profile kept_profile(self)
    cdef double next_due(self, State state, double now) noexcept

cdef class Shaped(Around):
    cdef public long long size
    cdef public long long expand
    cdef public long long shrink
    cdef public long long least
    cdef public long long reserved
    cdef public bint strict
    @cython.locals(i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(i=cython.longlong)
    cpdef void count_as(self, State state, double now, long long[::1] rows) except *
    @cython.locals(before=cython.longlong)
    cpdef bint reshape(self, State state, double now, long long[::1] rows) except -1

@cython.locals(missing=cython.longlong, kept=Profile, trial=Profile, keeps=bint, planned=cython.longlong[:, ::1], fits=bint, rows=cython.longlong[::1], i=cython.longlong, row=cython.longlong, own=cython.longlong, size=cython.longlong, floor=cython.longlong, place=cython.longlong)
cdef void _shrink(State state, Shaped rule, double now, long long head) noexcept

cdef bint _has_room(State state, long long head, long long missing, Profile trial) noexcept

@cython.locals(begin=cython.double, end=cython.double, more=cython.longlong, fits=bint)
cdef bint _fits_without(State state, long long head, long long row, long long place, long long missing, Profile trial) noexcept

@cython.locals(before=cython.double, begin=cython.double, end=cython.double, size=cython.longlong, form=cython.longlong, fitting=bint)
cdef bint _may_last(State state, long long row, double now, long long place, Profile kept) noexcept

@cython.locals(count=cython.longlong, found=cython.longlong[::1], keys=cython.double[::1], n=cython.longlong, i=cython.longlong, row=cython.longlong, form=cython.longlong)
cdef long long[::1] shrinkable(State state, Shaped rule, double now)

@cython.locals(left=cython.longlong, running=cython.longlong[::1], i=cython.longlong)
cdef void _expand(State state, Shaped rule, double now, long long[::1] rows) noexcept

@cython.locals(left=cython.longlong, i=cython.longlong)
cdef void _grant(State state, Shaped rule, double now, long long[::1] rows) noexcept

@cython.locals(place=cython.longlong, more=cython.longlong, until=cython.double)
cdef long long grant_one(State state, double now, long long row, long long left, Profile profile) noexcept

@cython.locals(left=cython.longlong)
cdef long long idle_now(State state) noexcept

@cython.locals(profile=Profile, kept=Profile, i=cython.longlong)
cdef void plan(State state, Shaped rule, double now, long long[::1] rows) noexcept

@cython.locals(own=cython.longlong, end=cython.double, place=cython.longlong, until=cython.double, more=cython.longlong)
cdef long long grow(State state, double now, long long row, long long most, Profile profile) noexcept

@cython.locals(count=cython.longlong, found=cython.longlong[::1], keys=cython.double[::1], n=cython.longlong, i=cython.longlong, row=cython.longlong)
cdef long long[::1] growing(State state, Shaped rule, double now)
