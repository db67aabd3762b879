cimport cython
from libc cimport math
from thinktime.models.engine cimport hazards
from thinktime.models.engine.codes cimport hazards as codes
from thinktime.models.engine.sources cimport foretold
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double INFINITY, NAN

@cython.locals(user=cython.longlong, run=cython.double)
cdef bint job_of_person_over(State state, Truth truth, double now, long long row, long long batch) noexcept

@cython.locals(user=cython.longlong)
cdef void person_has_submitted(Truth truth, double now, long long batch) noexcept

@cython.locals(user=cython.longlong)
cpdef void go_on(Truth truth, double now, long long first, long long stop) noexcept

@cython.locals(user=cython.longlong, end=cython.double)
cdef double thinks_since(Truth truth, long long batch) noexcept

@cython.locals(batch=cython.longlong, enough=cython.double, release=cython.double)
cdef bint _foretell(Truth truth, double now, long long user) noexcept

@cython.locals(over=bint, batch=cython.longlong, _=cython.longlong)
cdef bint _give_up(Truth truth, long long user) noexcept
