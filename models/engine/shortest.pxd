cimport cython

cdef double INFINITY
cdef long long CLASSES

@cython.final
cdef class Shortest:
    cdef public bint known
    cdef public long long in_vain
    cdef double[::1] least
    @cython.locals(c=cython.longlong)
    cdef void joins(self, long long width, double estimate) noexcept
    @cython.locals(c=cython.longlong, i=cython.longlong)
    cdef void learn(self, long long[::1] rows, long long[::1] width, double[::1] estimate) noexcept
    @cython.locals(c=cython.longlong, found=cython.double)
    cdef double of(self, long long width) noexcept
