from thinktime.models.engine cimport arithmetic
cimport cython
from libc cimport math
from thinktime.models.engine.codes cimport slack_prices as slack_prices_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile
from thinktime.models.engine.rules cimport Rule

cdef double INFINITY
cdef double DUMMY
cdef double TIE

cdef class Slack(Rule):
    cdef public Profile base
    cdef public Profile fixed
    cdef public Profile trial
    cdef public long long[::1] queue
    cdef public double[::1] chosen
    cdef public long long removals
    cdef public long long heuristic
    cdef public long long permuted
    cdef public long long afresh
    cdef public long long reading
    cdef public long long size
    cdef public long long started_count
    cdef public long long events
    cdef public long long candidates
    cdef public long long insertions
    cdef public long long broken
    cdef public double slack_factor
    cdef public double a_u
    cdef public double a_t
    cdef public double a_p
    cdef public double a_f
    cdef public double first_due
    cdef public double[::1] limits
    cdef public double[::1] waits
    cdef public double[::1] due
    cdef public double[::1] latest
    cdef public double[::1] slack0
    cdef public double[::1] priority
    cdef public double[::1] user_priority
    cdef public double[::1] political_priority
    cdef public double[::1] awt

@cython.locals(ratio=cython.double, used=cython.double)
cpdef double move_factor(Slack rule, long long n, double p, double p_new, double due, double latest, double slack0) noexcept

@cython.locals(exponent=cython.int, mantissa=cython.double)
cdef double blunt(double value) noexcept

@cython.locals(key=cython.double[::1], heuristic=cython.longlong, priority=cython.double[::1], i=cython.longlong, row=cython.longlong, movable=bint)
cdef long long[::1] ranked(State state, Slack rule, double p, long long[::1] queue, double[::1] factor)

@cython.locals(price=cython.double, apart=cython.double, moved=cython.longlong, exponent=cython.double, due=cython.double[::1], i=cython.longlong, row=cython.longlong, cost=cython.double, j=cython.longlong)
cdef (double, double, long long) priced(Slack rule, long long[::1] sequence, long long[::1] queue, double[::1] factor, double[::1] trial) noexcept

@cython.locals(near=cython.double)
cdef bint better(double price, double apart, long long moved, double best, double best_apart, long long fewest) noexcept
