from thinktime.models.engine cimport arithmetic
cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine.codes cimport estimates as estimates_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.structure cimport Structure

cdef double INFINITY
cdef double LEAST
cdef double[::1] LADDER
cdef double MINUTE
cdef double HOUR
cdef double TICKS_PER_SECOND
cdef double LIMIT

cdef class Estimator(Structure):
    cdef bint predicts(self) noexcept
    cpdef void admit(self, State state, Truth truth, long long[::1] rows) except *
    cpdef void learn(self, State state, Truth truth, long long[::1] rows) except *
    cpdef void expect(self, State state, long long[::1] rows) noexcept
    cpdef double next_revision(self, State state) noexcept
    cpdef long long revise(self, State state, double now) except -1

cdef class AsRequested(Estimator):
    cdef bint predicts(self) noexcept

cdef class Predicted(Estimator):
    cdef public long long code
    cdef public double factor
    cdef public bint kills
    cdef public bint revises
    cdef public long long in_heap
    cdef public long long[::1] jobs
    cdef public double[::1] total
    cdef public double[::1] last
    cdef public double[::1] before
    cdef public long long[::1] heap
    cdef public signed char[::1] steps
    @cython.locals(row=cython.longlong, expected=cython.double, i=cython.longlong)
    cpdef void admit(self, State state, Truth truth, long long[::1] rows) except *
    @cython.locals(row=cython.longlong, user=cython.longlong, start=cython.double, run=cython.double, i=cython.longlong)
    cpdef void learn(self, State state, Truth truth, long long[::1] rows) except *
    @cython.locals(heap=cython.longlong[::1], row=cython.longlong, place=cython.longlong, i=cython.longlong)
    cpdef void expect(self, State state, long long[::1] rows) noexcept
    cpdef double next_revision(self, State state) noexcept
    @cython.locals(heap=cython.longlong[::1], k=cython.longlong, row=cython.longlong, estimate=cython.double)
    cpdef long long revise(self, State state, double now) except -1
    @cython.locals(step=cython.longlong)
    cpdef double longer(self, State state, long long row, double now) except? -1

@cython.locals(user=cython.longlong, limit=cython.double, run=cython.double, code=cython.longlong)
cdef double _expected(State state, Truth truth, Predicted estimator, long long row) noexcept

@cython.locals(heap=cython.longlong[::1], n=cython.longlong, place=cython.longlong, child=cython.longlong)
cdef void _sink(State state, Predicted estimator, long long row) noexcept

@cython.locals(end=cython.double, then=cython.double)
cdef bint _before(State state, long long one, long long other) noexcept
