cimport cython
from thinktime.models.engine cimport queue_orders
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.machine_state cimport State

@cython.locals(keys=cython.double[::1], i=cython.longlong)
cpdef long long[::1] by_tier(State state, long long[::1] rows)

@cython.locals(found=cython.longlong[::1], k=cython.longlong, low=cython.longlong, i=cython.longlong, row=cython.longlong)
cpdef long long[::1] lowest_last(State state, long long[::1] rows)
