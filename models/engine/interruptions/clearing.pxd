cimport cython
from thinktime.models.engine cimport gapped
from thinktime.models.engine.interruptions cimport interruptions
from thinktime.models.engine cimport situation
from thinktime.models.engine.codes cimport interruptions as interruptions_codes
from thinktime.models.engine.codes cimport situation as of
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth


@cython.locals(left=cython.longlong, window=cython.longlong, held=cython.longlong, row=cython.longlong, j=cython.longlong, i=cython.longlong)
cdef long long remain(State state) noexcept

@cython.locals(window=cython.longlong, before=cython.longlong, i=cython.longlong)
cdef long long _move(State state, long long left, long long row, long long sign) noexcept

@cython.locals(left=cython.longlong, rows=cython.longlong[::1], n=cython.longlong, row=cython.longlong, candidates=cython.longlong[::1], taken=cython.longlong, i=cython.longlong, without=cython.longlong, j=cython.longlong)
cdef long long clear(State state, Truth truth, double now, long long window, long long k) noexcept

@cython.locals(left=cython.longlong, rows=cython.longlong[::1], n=cython.longlong, row=cython.longlong, candidates=cython.longlong[::1], taken=cython.longlong, i=cython.longlong, j=cython.longlong, draw=cython.longlong)
cdef long long come_below(State state, Truth truth, double now, long long window, long long k) noexcept

@cython.locals(fate=cython.longlong)
cdef long long make_way(State state, Truth truth, double now, long long window, long long row, long long k) noexcept

@cython.locals(keys=cython.double[::1], i=cython.longlong, by_id=cython.longlong[::1])
cdef long long[::1] youngest_first(State state, long long[::1] rows)
