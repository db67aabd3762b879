"""Numbers of `thinktime.models.engine.limits.budgets`."""

from thinktime.models.engine.codes import machine_state

NONE, HOLD, REFUSE, LOWEST = range(4)
"""What happens to jobs for which too little is left."""
BEGUN, HOPELESS = 1, 2
"""Bits of ``budget_marks``: a job has run before, and waits if too little is left; it costs more than a whole budget
whenever it starts."""
QUESTION = machine_state.NEWCOMERS - 6
"""What the runs that have ended were charged, and what those that wait would be, beside the questions of
`machine_state`."""
