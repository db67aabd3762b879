cimport cython
from libc cimport math
from thinktime.models.engine cimport hazards as engine
from thinktime.models.engine.codes cimport hazards as codes
from thinktime.models.engine.hazards cimport Hazards
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY, GRAIN, LESS, NEARLY, HALF

cdef class Recorded(Structure):
    cdef public double[::1] begin
    cdef public double[::1] end
    cdef public double[::1] run
    cdef public double[::1] whole
    cdef public long long[::1] begin_seen
    cdef public long long[::1] first_end
    cdef public long long[::1] batch
    cdef public long long[::1] job
    cdef public long long[::1] end_seen

@cython.locals(end=cython.double[::1], run=cython.double[::1], whole=cython.double[::1], batch=cython.longlong[::1], job=cython.longlong[::1], seen=cython.longlong[::1], at_once=cython.double, exactly=cython.double, noted=cython.double, first=cython.longlong, wrong=bint, sooner=cython.double, late=cython.double, exact=cython.double, exact_low=cython.double, changed=bint, sure=cython.longlong, users=cython.longlong, kept=cython.longlong, before=cython.longlong, user=cython.longlong, place=cython.longlong, stop=cython.longlong, own=cython.longlong, now=cython.double, early=cython.double, latest=cython.double, total=cython.double, low=cython.double)
cpdef void measure(Hazards hazards, Recorded recorded) noexcept

@cython.locals(end=cython.double[::1], run=cython.double[::1], batch=cython.longlong[::1], job=cython.longlong[::1], seen=cython.longlong[::1], user=cython.longlong, place=cython.longlong, stop=cython.longlong, own=cython.longlong, last=bint, now=cython.double)
cpdef void follow(Hazards hazards, Recorded recorded, double until) noexcept

@cython.locals(j=cython.longlong)
cdef void _note_the_round_before(Hazards hazards, long long user, long long first, long long noted) noexcept

cdef double _total_at(Hazards hazards, long long user, double time, bint after) noexcept

cdef void _come_to(Hazards hazards, long long user, double time, double total, double low) noexcept

@cython.locals(reached=cython.double)
cdef double _keep(Hazards hazards, long long kept, long long own, double time, double total, double low) noexcept

cdef double _reached(Hazards hazards, long long user, double total, double low) noexcept

@cython.locals(then=cython.double)
cdef void _begin_at_border(Hazards hazards, long long user, double total, double low) noexcept

cdef void _take_border(Hazards hazards, long long user, long long place) noexcept

cdef bint _has_grown(Hazards hazards, long long user, double total, double low) noexcept

@cython.locals(j=cython.longlong)
cdef void _note(Hazards hazards, long long user, long long place) noexcept
