cimport cython
from thinktime.models.engine.codes cimport state_codes as states
from thinktime.models.engine.limits cimport entry_rows
from thinktime.models.engine.machine_state cimport State
from thinktime.models.jobs.proposed cimport Proposed
from thinktime.models.jobs.request cimport Request
from thinktime.models.jobs.view cimport View

@cython.locals(proposed=Proposed, state=State, rows=dict, size=cython.longlong, apart=bint, job=Request, row=cython.longlong, fine=bint)
cdef _in_turn(policy, given, View view, pool, choose)

cdef long long _with_size(policy, part, View view, pool) except -1

cdef bint _waits(State state, long long row) noexcept

cdef long long _row_in(policy, part, View view, pool) except -1
