from libc cimport math
cimport cython
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine.spare cimport Spare

cdef double INFINITY

cdef double OF_PARENT

@cython.locals(total=cython.double[::1], v=cython.longlong)
cpdef double[::1] summed_up(Spare spare, long long[::1] parent, double[::1] own)

@cython.locals(together=cython.double[::1], v=cython.longlong)
cdef double[::1] siblings_shares(Spare spare, long long[::1] parent, double[::1] shares)

@cython.locals(together=cython.double[::1], level=cython.double[::1], v=cython.longlong, above=cython.double, used=cython.double)
cpdef double[::1] levels(Spare spare, long long[::1] parent, double[::1] shares, double[::1] total)

@cython.locals(seat=cython.longlong[::1], i=cython.longlong, v=cython.longlong, begin=cython.longlong, stop=cython.longlong, moves=cython.longlong, c=cython.longlong, j=cython.longlong)
cdef void sort_siblings(Spare stack, long long[::1] first, long long[::1] child, double[::1] level, long long[::1] line, long long[::1] spare) noexcept

cdef bint _before(double[::1] level, long long[::1] seat, long long c, long long other) noexcept

@cython.locals(keys=cython.double[::1], before=cython.longlong, i=cython.longlong, by_key=cython.longlong[::1])
cdef void _merge(Spare stack, long long[::1] child, double[::1] level, long long[::1] line, long long[::1] spare, long long begin, long long stop) noexcept

@cython.locals(n=cython.longlong, walked=cython.longlong[::1], tied=cython.longlong[::1], v=cython.longlong, rank=cython.longlong, following=cython.longlong, account=cython.longlong)
cpdef void fair_tree(Spare spare, long long[::1] parent, long long[::1] first, long long[::1] child, long long[::1] user, double[::1] level, long long[::1] line, double[::1] factor) noexcept

@cython.locals(together=cython.double[::1], norm=cython.double[::1], effective=cython.double[::1], v=cython.longlong, p=cython.longlong, part=cython.double, at=cython.double[::1], used=cython.double)
cpdef void classic(Spare spare, long long[::1] parent, long long[::1] user, double[::1] shares, double[::1] total, double[::1] before, double dampening, double[::1] factor) noexcept
