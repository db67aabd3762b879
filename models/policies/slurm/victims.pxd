cimport cython
from libc cimport math
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine cimport gapped
from thinktime.models.engine cimport keeping
from thinktime.models.engine.changes cimport preempting
from thinktime.models.engine cimport slurm_preemption
from thinktime.models.engine.codes cimport machine_state as at
from thinktime.models.engine.codes cimport nodes as nodes_codes
from thinktime.models.engine.codes cimport profile as profile_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.codes cimport slurm_preemption as slurm_preemption_codes
from thinktime.models.engine.codes cimport slurm_victims as slurm_victims_codes
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.profile cimport Profile

cdef double INFINITY

cdef bint mark_candidates(State state, double now, long long row) noexcept

@cython.locals(found=bint, other=cython.longlong, i=cython.longlong, others_here=cython.longlong[::1])
cdef bint mark_all_candidates(State state, double now, long long row) noexcept

cdef void unmark_candidates(State state, double now) noexcept

@cython.locals(other=cython.longlong, i=cython.longlong)
cdef void unmark_all_candidates(State state, double now) noexcept

@cython.locals(mode=cython.longlong)
cdef void _mark(State state, double now, long long other, long long row) noexcept

@cython.locals(found=bint, job=cython.longlong, other=cython.longlong, i=cython.longlong)
cdef bint waits_for_others(State state, long long row) noexcept

@cython.locals(found=cython.longlong[::1], k=cython.longlong, other=cython.longlong, marked=bint, ran=cython.double, may_go=bint, keys=cython.double[::1], rows=cython.longlong[::1], i=cython.longlong, j=cython.longlong)
cdef long long[::1] candidates_of(State state, double now, long long row)

cdef long long extent(State state, long long row) noexcept

@cython.locals(n=cython.longlong, i=cython.longlong)
cdef long long extent_on_nodes(State state, long long row) noexcept

cdef long long in_common(State state, long long row, long long other) noexcept

@cython.locals(n=cython.longlong, i=cython.longlong, j=cython.longlong, begin=cython.longlong)
cdef long long nodes_in_common(State state, long long row, long long other) noexcept

@cython.locals(suspends=bint, end=cython.double)
cdef void _change(State state, long long sign, double now, long long row, long long other, Profile profile) noexcept

cdef long long make_room(State state, double now, long long row, double length, Profile profile) noexcept

@cython.locals(candidates=cython.longlong[::1], base=Profile, trial=Profile, other=cython.longlong, paused=cython.longlong[::1], others=cython.longlong[::1], taken=cython.longlong[::1], fits=bint, done=cython.longlong, again=bint, i=cython.longlong, j=cython.longlong)
cdef long long send_others_away(State state, double now, long long row, double length, Profile profile) noexcept

@cython.locals(found=cython.longlong[::1], k=cython.longlong, other=cython.longlong, i=cython.longlong)
cdef long long[::1] _select(State state, long long[::1] candidates, bint suspended)

@cython.locals(order=cython.longlong[::1], before=cython.longlong[::1], keys=cython.double[::1], i=cython.longlong)
cdef long long[::1] _reordered(State state, long long row, long long[::1] others, long long taken)

@cython.locals(slow=bint, left=bint, other=cython.longlong, grace=cython.double, i=cython.longlong)
cdef long long _give_notice(State state, double now, long long row, long long[::1] paused, long long[::1] taken) noexcept

cdef void _choose(State state, double time, long long other, long long row) noexcept

@cython.locals(sweep=cython.double, phase=cython.double, retry=cython.double, time=cython.double)
cdef double _leaves_at(State state, double now, double grace) noexcept

cdef void hide_notices(State state, long long[::1] running, double[::1] notice) noexcept

@cython.locals(i=cython.longlong, row=cython.longlong)
cdef void hide_fresh_notices(State state, long long[::1] running, double[::1] notice) noexcept

cdef void apply_notices(State state, double now, long long[::1] running, double[::1] notice, double[::1] placed, double[::1] leave, Profile profile) noexcept

@cython.locals(given=bint, i=cython.longlong, row=cython.longlong, suspends=bint)
cdef void apply_fresh_notices(State state, double now, long long[::1] running, double[::1] notice, double[::1] placed, double[::1] leave, Profile profile) noexcept

cdef void plan_suspended(State state, long long[::1] started, Profile profile) noexcept

@cython.locals(row=cython.longlong, length=cython.double, start=cython.double, i=cython.longlong)
cdef void plan_all_suspended(State state, long long[::1] started, Profile profile) noexcept
