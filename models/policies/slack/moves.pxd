cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport slack_moves as slack_moves_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

@cython.locals(order=cython.longlong[::1], unsorted=cython.double[::1], n=cython.longlong, more=cython.longlong, slots=cython.double[::1], i=cython.longlong, kept=cython.longlong, time=cython.double)
cdef double[::1] slot_starts(State state, double now, long long kind, long long[::1] queue, double[::1] due, Profile base)

@cython.locals(k=cython.longlong, i=cython.longlong, row=cython.longlong, duration=cython.double, begin=cython.double)
cdef long long reinsert(State state, long long[::1] sequence, long long[::1] queue, double[::1] bound, Profile profile, double[::1] trial) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong, k=cython.longlong, j=cython.longlong)
cdef long long compress(State state, long long[::1] sequence, long long[::1] queue, double[::1] stands, double[::1] bound, Profile profile, double[::1] trial) noexcept

@cython.locals(n=cython.longlong, i=cython.longlong, j=cython.longlong, low=cython.longlong, high=cython.longlong)
cdef bint next_permutation(long long[::1] order, long long keep) noexcept
