from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef class SlurmMemory(Rule):
    cdef public long long[::1] options
    cdef public double[::1] seconds
    cdef public double[::1] clock
    cdef public Profile profile
