cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

@cython.locals(n=cython.longlong, machines=cython.longlong, keys=cython.double[::1], left=cython.longlong[::1], later=cython.double[::1], loads=cython.double[::1], longest=cython.longlong[::1], open_loads=cython.double[::1], j=cython.longlong, i=cython.longlong, place=cython.longlong)
cpdef long long[::1] mlpt_order(Spare spare, double[::1] lengths, double[::1] busy, long long free)
