cimport cython
from libc cimport math
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport profile
from thinktime.models.engine cimport room
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.parts cimport Profiles
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef class PoolProfiles(Profiles):
    cdef void running_profile(self, State state, double now, long long skip, Profile profile) noexcept
    cdef double bring_forward(self, State state, long long row, double reserved, double reach, double[::1] tried, Profile profile) noexcept

@cython.locals(notes=bint, since=cython.double, start=cython.double)
cdef double bring_forward(long long need, double duration, double reserved, double reach, double[::1] tried, Profile own) noexcept
