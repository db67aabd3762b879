"""Numbers of `thinktime.models.engine.limits.budgets`."""

from thinktime.models.engine.codes import machine_state

NONE, HOLD, REFUSE, LOWEST = range(4)
"""What happens to jobs for which too little is left."""
BEGUN, HOPELESS = 1, 2
"""Bits of ``budget_marks``: a job has run before, and waits if too little is left; it costs more than a whole budget
whenever it starts."""
ENDLESS = 2.0**31
"""No job is planned to run for so long, s; holds without an estimate cost more than any budget."""
ROUNDED = 1e-12
"""The part of an amount by which a charge may be above it: hours of seconds are rounded."""
FROM, SUM, GROWTH, OF_LINE = range(4)
"""A line of a clock: from when on (s) it is what, and grows by how much in a second."""
QUESTION = machine_state.NEWCOMERS - 6
"""What the runs that have ended were charged, and what those that wait would be, beside the questions of
`machine_state`."""
