cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine.limits cimport limits
from thinktime.models.engine.interruptions cimport runs
from thinktime.models.engine cimport situation
from thinktime.models.engine cimport true_ends
from thinktime.models.engine.codes cimport gaps as gaps_codes
from thinktime.models.engine.codes cimport interruptions as interruptions_codes
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport runs as runs_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth

cdef double NAN


cdef long long fate_of(long long way) noexcept

@cython.locals(kept=cython.longlong, progress=cython.double, overhead=cython.double, lost=cython.double)
cdef void interrupt(State state, Truth truth, double now, long long row, long long how, long long fate) noexcept

@cython.locals(never=bint, killed=bint, stays=bint)
cdef bint send_back(State state, Truth truth, double now, long long row, long long fate) noexcept

@cython.locals(n=cython.longlong, log=cython.double[::1])
cdef void log_run(State state, Truth truth, double now, long long row, long long how, double progress, double overhead, double lost) noexcept

cdef void queue_again(Truth truth, long long row) noexcept

@cython.locals(place=cython.longlong, low=cython.longlong, high=cython.longlong, middle=cython.longlong)
cdef bint has_one_of(State state, long long row, long long[::1] processors) noexcept
