cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport pool
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport reservations as reservations_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.structure cimport CountAndTime

cdef double NAN

cdef double INFINITY

cdef class Kept(Rule):
    cdef public bint loose
    cdef public bint crowded
    cdef public long long broken
    cdef public bint has_ended
    cdef public long long compress
    cdef public bint informed
    cdef public double next_start
    cdef public double reach
    cdef public double[::1] tried
    cdef public double[::1] reserved
    cdef public double[::1] hold
    cdef public Profile profile
    @cython.locals(made=bint, row=cython.longlong, until=cython.double, i=cython.longlong)
    cpdef void ended(self, State state, double now, long long[::1] rows) except *
    @cython.locals(reserved=cython.double[::1], made=bint, row=cython.longlong, begin=cython.double, end=cython.double, i=cython.longlong)
    cpdef void withdrawn(self, State state, double now, long long[::1] rows) except *
    cpdef void barred(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    @cython.locals(i=cython.longlong, later=cython.double)
    cpdef void revised(self, State state, double now, long long[::1] rows) except *
    @cython.locals(i=cython.longlong)
    cpdef void resizing(self, State state, double now, long long[::1] rows) except *
    @cython.locals(i=cython.longlong, row=cython.longlong)
    cpdef void resized(self, State state, double now, long long[::1] rows) except *
    cdef Profile kept_profile(self)
    cdef double next_due(self, State state, double now) noexcept
    @cython.locals(concerned=cython.longlong, row=cython.longlong, i=cython.longlong)
    cpdef bint order_matters(self, State state, double now, long long[::1] rows) noexcept
    @cython.locals(profile=Profile, skip=cython.longlong, grace=cython.double, sweeps=bint, by_start=bint)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99

@cython.locals(hold=cython.double[::1], profile=Profile, i=cython.longlong, row=cython.longlong)
cdef void hold_on(State state, Kept rule, double now, double grace, long long skip, long long[::1] rows) noexcept

@cython.locals(profile=Profile, row=cython.longlong, i=cython.longlong)
cpdef void forget(State state, Kept rule, double now) noexcept

@cython.locals(reserved=cython.double[::1], hold=cython.double[::1], profile=Profile, queue=cython.longlong[::1], begins=cython.double[::1], known=cython.longlong[::1], k=cython.longlong, row=cython.longlong, leaves=bint, i=cython.longlong, begin=cython.double, length=cython.double, h=cython.longlong, j=cython.longlong, is_here=cython.longlong[::1])
cdef bint _tie(State state, Kept rule, double now, long long[::1] gone) noexcept

cdef void _stay(State state) noexcept

@cython.locals(reserved=cython.double[::1], profile=Profile, news=cython.longlong, row=cython.longlong, end=cython.double, back=bint, i=cython.longlong)
cdef void _restore(State state, Kept rule, double now, long long[::1] queue) noexcept

@cython.locals(always=bint)
cdef bint _sweeps(Kept rule) noexcept

@cython.locals(known=cython.longlong[::1], n=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] _by_reservation(State state, Kept rule, long long[::1] queue)

@cython.locals(reserved=cython.double, until=cython.double, alike=bint, crowded=bint, profile=Profile, reach=cython.double, given=cython.double, tried=cython.double[::1], row=cython.longlong, start=cython.double, i=cython.longlong)
cdef void _bring_forward(State state, Kept rule, double now, long long[::1] order) noexcept

@cython.locals(row=cython.longlong, begin=cython.double, end=cython.double, i=cython.longlong)
cdef void _rebuild(State state, Kept rule, double now, long long[::1] order) noexcept

@cython.locals(row=cython.longlong, i=cython.longlong)
cdef void _reserve(State state, Kept rule, long long[::1] queue) noexcept

@cython.locals(duration=cython.double, start=cython.double)
cdef void _reserve_one(State state, Kept rule, long long row) noexcept

cdef void _promise(State state, long long row, double start) noexcept

@cython.locals(place=cython.longlong, k=cython.longlong, following=cython.double, end=cython.double, row=cython.longlong)
cdef long long _start_due(State state, Kept rule, double now, long long[::1] queue, long long left) noexcept

cdef CountAndTime _next_due(Kept rule, double now, long long[::1] queue, long long place, double following) noexcept
