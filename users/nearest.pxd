cimport cython
from libc cimport math

cdef long long HOURS, KINDS, RESPONSE, WEEKEND, EVE, COORDINATES
cdef double TURN, ROUNDING, INF


cdef class NearPauses:
    cdef long long[::1] _number, _first, _found
    cdef double[:, ::1] _places
    cdef double[::1] _here, _far
    cdef long long _size, _known
    cdef object _nearest

    @cython.locals(
        full="long long", own="long long", kind="long long", turn="long long", step="long long",
        weekend=double, eve=double, one=double, other=double, away=double, up=bint, down=bint,
    )
    cdef void _search(self, double hour) noexcept
    cdef bint _too_far(self, double away, double hours) noexcept
    @cython.locals(
        begin="long long", stop="long long", right="long long", top="long long", middle="long long", left="long long",
        place="long long", response=double, below=double, above=double,
    )
    cdef void _look(self, long long drawer) noexcept
    @cython.locals(i="long long", away=double, apart=double)
    cdef void _consider(self, long long place) noexcept
    cdef void _rise(self, long long place, long long pause, double away) noexcept
    @cython.locals(place="long long", child="long long")
    cdef void _sink(self, long long pause, double away) noexcept


cdef bint _after(double away, long long pause, double other, long long another) noexcept
