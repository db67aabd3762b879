cimport cython
from thinktime.models.engine cimport arithmetic
from thinktime.models.engine.limits cimport budgets
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine cimport pool
from thinktime.models.engine.codes cimport budgets as budget_codes
from thinktime.models.engine.codes cimport limits as limits_codes
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.machine_state cimport State
from thinktime.models.engine.truth cimport Truth
from thinktime.models.engine.rules cimport Rule
from thinktime.models.engine.sources.sources cimport Sources

@cython.locals(rows=cython.longlong[::1])
cdef bint refuse(State state, Truth truth, Rule rule, Sources sources, double now) except -1

@cython.locals(k=cython.longlong, row=cython.longlong, i=cython.longlong, first=cython.longlong, stop=cython.longlong, refused=bint, each=cython.longlong, then=cython.longlong)
cdef long long[::1] leave_refused(State state, Truth truth, double now)
