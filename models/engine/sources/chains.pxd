cimport cython
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.sources cimport by_hazard
from thinktime.models.engine.sources cimport plans
from thinktime.models.engine.sources cimport releases
from thinktime.models.engine.sources cimport sources as all_sources
from thinktime.models.engine.sources cimport timetables
from thinktime.models.engine.codes cimport chains as chains_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.sources.sources cimport Sources

cdef double INFINITY, NAN

cdef class Chained(Sources):
    @cython.locals(urgent=bint, begin=cython.longlong, planned=bint, row=cython.longlong, group=cython.longlong, user=cython.longlong, i=cython.longlong)
    cpdef bint note_over(self, State state, Truth truth, double now, long long[::1] rows) except -1
    @cython.locals(helped=bint)
    cpdef bint arrive(self, State state, Truth truth, double now) except -1

@cython.locals(following=cython.longlong[::1], then=cython.longlong)
cdef bint goes_on(State state, Truth truth, double now, long long row) noexcept

@cython.locals(urgent=bint, link=cython.longlong, after=cython.longlong)
cdef bint job_of_batch_over(State state, Truth truth, double now, long long row, long long batch) except -1

@cython.locals(link=cython.longlong, after=cython.longlong)
cdef void _await_gaps(Truth truth, long long batch, double last) noexcept

@cython.locals(batch=cython.longlong)
cpdef void await_first_releases(Truth truth, long long first, long long stop) noexcept

@cython.locals(now=cython.double, batch=cython.longlong)
cpdef bint submit_due(State state, Truth truth, double time, long long stamp) noexcept

@cython.locals(begin=cython.longlong, stop=cython.longlong, place=cython.longlong, row=cython.longlong, since=cython.double)
cdef void _submit(State state, Truth truth, double now, long long batch) noexcept
