cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport room
from thinktime.models.engine cimport shapes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport shapes as shape_codes
from thinktime.models.engine.limits cimport budgets
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.limits cimport growth
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.limits cimport prices
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.policies.agents cimport observation
from thinktime.models.policies.agents.observation cimport Observing
from thinktime.models.policies.shapes cimport choosing
from thinktime.models.policies.shapes cimport rule as around

cdef long long FITS
cdef long long RESERVED

@cython.locals(i=cython.longlong)
cdef void prefer(State state, Observing rule, long long[::1] rows) noexcept

@cython.locals(found=bint, allowed=cython.schar[::1], chosen=cython.longlong[::1], i=cython.longlong, row=cython.longlong, first=cython.longlong, own=cython.longlong, n=cython.longlong, place=cython.longlong)
cdef bint note_sizes(State state, Observing rule, double now, long long left) noexcept

cdef long long may_start(State state, Observing rule, long long row, double now, long long left) noexcept

@cython.locals(found=bint, job=cython.longlong, i=cython.longlong)
cdef bint is_another_entry(State state, Observing rule, long long row) noexcept

@cython.locals(profile=Profile, left=cython.longlong, i=cython.longlong, row=cython.longlong, place=cython.longlong, more=cython.longlong)
cdef long long lay(State state, Observing rule, double now) noexcept

@cython.locals(i=cython.longlong)
cdef void suppose_starts(State state, long long[::1] rows, double now, double sign) noexcept

@cython.locals(more=cython.longlong, until=cython.double, size=cython.longlong, rate=cython.double, done=cython.double)
cdef void suppose_resize(State state, long long row, long long place, double now, double sign) noexcept

@cython.locals(i=cython.longlong)
cdef void lift(State state, double now, bint keep) noexcept

@cython.locals(allowed=cython.schar[::1], found=bint, j=cython.longlong, row=cython.longlong, first=cython.longlong, n=cython.longlong, place=cython.longlong)
cdef bint note_resizes(State state, Observing rule, double now) noexcept

@cython.locals(more=cython.longlong, until=cython.double)
cdef bint may_take(State state, Observing rule, long long row, double now, long long place) noexcept

@cython.locals(found=bint, i=cython.longlong)
cdef bint changes_sizes(State state, double now) noexcept
