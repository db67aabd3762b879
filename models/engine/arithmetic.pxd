cimport cython
from libc cimport math

cdef double floor(double x) noexcept
cdef double ceil(double x) noexcept
cdef double on_grid(double time) noexcept
@cython.locals(large=cython.double)
cdef double rint(double x) noexcept
@cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long first_from(double[::1] values, long long n, double x) noexcept
@cython.locals(low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef long long first_above(double[::1] values, long long n, double x) noexcept
@cython.locals(i=cython.longlong, width=cython.longlong, turned=bint, begin=cython.longlong, middle=cython.longlong, end=cython.longlong, j=cython.longlong, k=cython.longlong)
cpdef void sort_by(double[::1] keys, long long[::1] order, long long[::1] spare, long long n) noexcept
cdef bint _before(double[::1] keys, long long one, long long other) noexcept
@cython.locals(order=cython.longlong[::1], spare=cython.longlong[::1])
cdef long long[::1] sorted_places(double[::1] keys, long long n)
@cython.locals(i=cython.longlong, found=cython.double[::1])
cdef double[::1] taken(double[::1] values, long long[::1] rows)
@cython.locals(i=cython.longlong, found=cython.longlong[::1])
cdef long long[::1] taken_whole(long long[::1] values, long long[::1] rows)
@cython.locals(i=cython.longlong)
cdef void fill(double[::1] values, long long[::1] rows, double value) noexcept
@cython.locals(i=cython.longlong)
cdef void fill_all(double[::1] values, double value) noexcept
@cython.locals(i=cython.longlong, order=cython.longlong[::1], old=cython.double[::1])
cdef void sort_values(double[::1] values, long long n)
@cython.locals(i=cython.longlong, place=cython.longlong)
cdef long long first_least(double[::1] values) noexcept
@cython.locals(i=cython.longlong, found=bint)
cdef bint has(long long[::1] values, long long n, long long value) noexcept
@cython.locals(i=cython.longlong, found=cython.longlong[::1])
cdef long long[::1] rows_copied(long long[::1] rows)
