cimport cython
from thinktime.models.engine.codes cimport long_numbers as long_numbers_codes
from thinktime.models.engine.spare cimport Spare

cdef double TICK

@cython.locals(i=cython.longlong)
cdef long long compare(long long[::1] a, long long[::1] b) noexcept

@cython.locals(i=cython.longlong)
cdef void copy(long long[::1] number, long long[::1] out) noexcept

@cython.locals(carry=cython.longlong, i=cython.longlong, total=cython.longlong)
cdef long long add(long long[::1] number, long long[::1] other, long long times) noexcept

@cython.locals(i=cython.longlong)
cpdef void write(double number, long long[::1] out) noexcept

cdef long long _before_the_cut(long long i, bint up) noexcept

@cython.locals(carry=cython.longlong, total=cython.longlong, i=cython.longlong, seconds=cython.double)
cpdef double read(long long[::1] number, bint up) noexcept

@cython.locals(n=cython.longlong, d=cython.longlong, rest=cython.longlong[::1], divisor=cython.longlong[::1], i=cython.longlong, factor=cython.longlong, j=cython.longlong, carry=cython.longlong, up=cython.longlong, total=cython.longlong, before=cython.longlong)
cpdef void scaled(Spare spare, long long[::1] number, long long[::1] times, long long[::1] by, bint half_up, long long[::1] out) noexcept
