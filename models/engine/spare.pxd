cimport cython
from thinktime.models.engine cimport arithmetic

@cython.final
cdef class Spare:
    cdef public long long used
    cdef long long[::1] integers
    cdef double[::1] numbers
    @cython.locals(first=cython.longlong)
    cdef long long _take(self, long long n)
    @cython.locals(first=cython.longlong)
    cdef long long[::1] whole(self, long long n)
    @cython.locals(first=cython.longlong)
    cdef double[::1] real(self, long long n)
    @cython.locals(first=cython.longlong, i=cython.longlong)
    cdef long long[::1] zeros(self, long long n)
    @cython.locals(first=cython.longlong, i=cython.longlong)
    cdef double[::1] real_zeros(self, long long n)
    @cython.locals(i=cython.longlong, found=cython.longlong[::1])
    cdef long long[::1] copied(self, long long[::1] rows)
    @cython.locals(i=cython.longlong, found=cython.double[::1])
    cdef double[::1] taken(self, double[::1] values, long long[::1] rows)
    @cython.locals(i=cython.longlong, found=cython.longlong[::1])
    cdef long long[::1] taken_whole(self, long long[::1] values, long long[::1] rows)
    @cython.locals(order=cython.longlong[::1], before=cython.longlong)
    cdef long long[::1] sorted_places(self, double[::1] keys, long long n)
    @cython.locals(i=cython.longlong, order=cython.longlong[::1])
    cdef long long[::1] sorted_by(self, double[::1] keys, long long[::1] rows)
