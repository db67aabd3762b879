cimport cython
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.sources cimport timetables
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.structure cimport Structure


cdef class Sources(Structure):
    cpdef bint arrive(self, State state, Truth truth, double now) except -1
    @cython.locals(urgent=bint, row=cython.longlong, group=cython.longlong, i=cython.longlong)
    cpdef bint note_over(self, State state, Truth truth, double now, long long[::1] rows) except -1
    @cython.locals(row=cython.longlong, i=cython.longlong)
    cpdef bint note_started(self, State state, Truth truth, double now, long long[::1] rows) except -1

cdef class Forecast(Sources):
    cdef public long long goal
    cpdef bint note_over(self, State state, Truth truth, double now, long long[::1] rows) except -1
    @cython.locals(i=cython.longlong, found=bint)
    cpdef bint note_started(self, State state, Truth truth, double now, long long[::1] rows) except -1

@cython.locals(attention=cython.longlong, own=cython.longlong)
cdef bint note_job(State state, Truth truth, long long row, bint counted) noexcept
