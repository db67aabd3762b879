cimport cython
from thinktime.models.engine cimport passes
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef class Rebuilt(Rule):
    cdef public long long reservations
    cdef public Profile profile
    @cython.locals(skip=cython.longlong, left=cython.longlong, estimate=cython.double[::1], out=cython.longlong[::1], profile=Profile, k=cython.longlong, least=cython.longlong, row=cython.longlong, reservations=cython.longlong, i=cython.longlong)
    cpdef long long select(self, State state, double now, long long[::1] rows) except? -99
