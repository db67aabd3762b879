cimport cython
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine cimport hazards
from thinktime.models.engine.codes cimport hazards as codes
from thinktime.models.engine.truth cimport Truth

cdef double HALF, TICK

cdef bint is_open(Truth truth, long long batch) noexcept

cdef double has_to_look(Truth truth, long long user, double release) noexcept

@cython.locals(own=cython.longlong, reach=cython.double, release=cython.double)
cdef double release_of(Truth truth, long long user, double earliest) noexcept

@cython.locals(user=cython.longlong)
cdef void look_further(Truth truth, long long batch, double until) noexcept
