cimport cython
from libc cimport math
from thinktime.models.engine cimport long_numbers
from thinktime.models.engine.codes cimport long_numbers as long_numbers_codes
from thinktime.models.engine.codes cimport virtual as virtual_codes
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY
cdef double NAN

cdef class Campaigns(Rule):
    cdef public long long backfilling
    cdef public long long campaign_rule
    cdef public long long within
    cdef public bint held_back
    cdef public bint corrected
    cdef public double threshold
    cdef public double rho
    cdef public double next_completion
    cdef public double given_at
    cdef public long long active_count
    cdef public long long ready_count
    cdef public long long free_count
    cdef public long long stamp
    cdef public long long busy
    cdef public long long in_use
    cdef public long long capacity
    cdef public long long[::1] time
    cdef public long long[::1] service
    cdef public long long[::1] due
    cdef public long long[::1] shares
    cdef public long long[::1] unit
    cdef public long long[::1] speed
    cdef public long long[::1] of
    cdef public long long[::1] line
    cdef public long long[::1] active
    cdef public long long[::1] begun
    cdef public long long[::1] free
    cdef public long long[::1] owner
    cdef public long long[::1] index
    cdef public long long[::1] number
    cdef public long long[::1] after
    cdef public long long[::1] live
    cdef public long long[::1] joined
    cdef public double[::1] submit
    cdef public double[::1] work
    cdef public double[::1] virtual_start
    cdef public double[::1] virtual_end
    cdef public double[::1] urgency
    cdef public double[::1] given
    cdef public long long[:, ::1] finish
    cdef public long long[:, ::1] tag
    cdef public long long[::1] appeared
    cdef public long long[::1] since
    cdef public long long[::1] founded
    cdef public long long[::1] jobs
    cdef public long long[::1] latest
    cdef public long long[::1] first
    cdef public long long[::1] last
    cdef public double[::1] weight
    cdef public long long[:, ::1] share
    cdef Spare spare

@cython.locals(c=cython.longlong)
cpdef long long found(Campaigns rule, long long owner, long long number, double now, double work) noexcept

@cython.locals(owner=cython.longlong, alone=bint)
cdef bint link(Campaigns rule, long long c) noexcept

@cython.locals(owner=cython.longlong, before=cython.longlong, alone=bint, used=cython.longlong)
cpdef void enter(Campaigns rule, long long c) noexcept

@cython.locals(first=cython.longlong, sign=cython.longlong, shift=cython.longlong[::1], least=cython.longlong[::1], most=cython.longlong[::1], other=cython.longlong, later=cython.longlong, used=cython.longlong)
cpdef void change_work(Campaigns rule, long long c, double work, double now) noexcept

@cython.locals(limit=cython.longlong[::1], slack=cython.longlong[::1], k=cython.longlong, c=cython.longlong, following=cython.longlong, used=cython.longlong)
cpdef long long advance(Campaigns rule, double now) noexcept

@cython.locals(used=cython.longlong, time=cython.double)
cpdef double projected(Campaigns rule, long long c) noexcept

@cython.locals(time=cython.longlong[::1])
cdef void _settle(Campaigns rule, double now) noexcept

@cython.locals(number=cython.longlong[::1])
cdef long long[::1] _per_share(Campaigns rule, long long c, double work, bint half_up)

@cython.locals(finish=cython.longlong[::1], tag=cython.longlong[::1], carry=cython.longlong, i=cython.longlong, total=cython.longlong)
cdef void _move(Campaigns rule, long long c, long long[::1] shift, long long sign) noexcept

@cython.locals(time=cython.longlong[::1])
cdef long long[::1] _when(Campaigns rule, long long c)

@cython.locals(used=cython.longlong)
cdef void _plan(Campaigns rule) noexcept

@cython.locals(owner=cython.longlong, following=cython.longlong)
cdef long long _complete(Campaigns rule, long long c) noexcept

@cython.locals(active=cython.longlong[::1], place=cython.longlong, position=cython.longlong, order=cython.longlong)
cdef void _activate(Campaigns rule, long long c) noexcept

@cython.locals(active=cython.longlong[::1], k=cython.longlong, other=cython.longlong, i=cython.longlong)
cdef void deactivate(Campaigns rule, long long c) noexcept
