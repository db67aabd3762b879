cimport cython
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine.codes cimport agent as agent_codes
from thinktime.models.engine.codes cimport rules as rules_codes
from thinktime.models.engine.codes cimport shapes as shape_codes
from thinktime.models.engine.codes cimport usage as usage_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.usage cimport Usage
from thinktime.models.policies.agents cimport observation
from thinktime.models.policies.agents cimport sizes
from thinktime.models.policies.agents.observation cimport Observing
from thinktime.models.policies.shapes cimport choosing

cdef long long NOBODY

cdef class Agent(Observing):
    @cython.locals(chosen=cython.longlong[::1], answer=cython.longlong, skip=cython.longlong, left=cython.longlong, i=cython.longlong, over=bint, row=cython.longlong, k=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
    @cython.locals(number=cython.longlong, row=cython.longlong, place=cython.longlong)
    cdef long long answered(self, State state, long long answer) noexcept
    @cython.locals(i=cython.longlong)
    cpdef void count_as(self, State state, double now, long long[::1] rows) except *
    @cython.locals(before=cython.longlong, answer=cython.longlong, over=bint, number=cython.longlong, row=cython.longlong, left=cython.longlong)
    cpdef bint reshape(self, State state, double now, long long[::1] rows) except -1
    cpdef void resizing(self, State state, double now, long long[::1] rows) except *
    cpdef void resized(self, State state, double now, long long[::1] rows) except *
    cpdef void started(self, State state, double now, long long[::1] rows) except *
    cpdef void ended(self, State state, double now, long long[::1] rows) except *

cdef long long take(State state, long long row, long long left) noexcept

@cython.locals(queue=cython.longlong[::1], k=cython.longlong, row=cython.longlong, i=cython.longlong)
cdef long long[::1] behind(Agent rule, long long[::1] rows, long long head)

@cython.locals(shown=cython.longlong[::1], allowed=cython.schar[::1], found=bint, i=cython.longlong, fits=bint, idle=bint, row=cython.longlong, j=cython.longlong)
cdef bint worth_asking(State state, Agent rule, long long[::1] rows, double now, long long left) noexcept

@cython.locals(accounts=Usage, i=cython.longlong)
cdef void charge_users(State state, Agent rule, double now, long long sign, long long[::1] rows) noexcept
