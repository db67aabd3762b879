cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport usage as usage_codes


@cython.locals(then=cython.double, kept=cython.double, gained=cython.double, a=cython.longlong, first=cython.double, last=cython.double, decays=cython.double, head=cython.double, tail=cython.double, left=cython.double, value=cython.double, _=cython.longlong)
cpdef void usage_at(double now, double[::1] clock, double[::1] usage, double[::1] rate, double period, double origin, double factor, double half_life, double[::1] out) noexcept

@cython.locals(rest=cython.double, found=cython.double, whole=cython.double)
cdef double periods(double time, double period) noexcept

cdef void bring_up(double now, double[::1] clock, double[::1] usage, double[::1] rate, double period, double origin, double factor, double half_life) noexcept

cdef void change_rate(long long account, double amount, long long sign, double[::1] rate, long long[::1] jobs) noexcept

@cython.locals(i=cython.longlong)
cpdef void charge(double now, long long[::1] accounts, double[::1] amounts, long long sign, double[::1] clock, double[::1] usage, double[::1] rate, long long[::1] jobs, double period, double origin, double factor, double half_life) noexcept
