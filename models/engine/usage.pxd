cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.structure cimport Structure

cdef class Usage(Structure):
    cdef public double[::1] usage
    cdef public double[::1] rate
    cdef public long long[::1] jobs
    cdef public double since
    cdef public double period
    cdef public double origin
    cdef public double factor
    cdef public double half_life
    cdef void bring_up(self, double now) noexcept
    cdef void change_rate(self, long long account, double amount, long long sign) noexcept
    @cython.locals(i=cython.longlong)
    cpdef void charge(self, double now, long long[::1] accounts, double[::1] amounts, long long sign) noexcept

@cython.locals(usage=cython.double[::1], rate=cython.double[::1], period=cython.double, origin=cython.double, factor=cython.double, half_life=cython.double, then=cython.double, kept=cython.double, gained=cython.double, a=cython.longlong, first=cython.double, last=cython.double, decays=cython.double, head=cython.double, tail=cython.double, left=cython.double, value=cython.double, _=cython.longlong)
cpdef void usage_at(Usage accounts, double now, double[::1] out) noexcept

@cython.locals(rest=cython.double, found=cython.double, whole=cython.double)
cdef double periods(double time, double period) noexcept
