"""Numbers of `thinktime.models.engine.sources.eligibility`."""

from thinktime.models.engine.codes import machine_state
from thinktime.models.engine.codes.fields import fields
from thinktime.workloads.arrays import Codes, Floats, Ints

ASIDE, JOINED = 1, 2
AFTER, AFTER_ANY, AFTER_OK, AFTER_NOT_OK, DATE = range(5)  # kinds of clauses
HELD, NEVER, LISTED, DEFERRED = 1, 2, 4, 8
"""Bits of ``marks``: a job is held, its dependencies can never be met, it is in ``ready``, and it was asked whether it
is to be held back until a time."""
AT_ONCE = -1
"""What ``answer`` says of a job that is not held back; 0 if nobody was asked before its submission, else the clause."""
QUESTION = machine_state.NEWCOMERS - 5
"""From when on jobs that are submitted may start, beside the questions of `machine_state`."""
ROWS = fields(
    (Ints, "need"), (Codes, "place marks"), (Floats, "eligible"), (Ints, "wanted spare array first_link ready answer")
)
LINKS = fields((Ints, "to next_link"))
CLAUSES = fields((Ints, "owner left dated"), (Codes, "what spoiled"), (Floats, "delay when"))
ARRAYS = fields((Ints, "slots begin stop fresh"), (Codes, "is_fresh"))
TASKS = {"task": Ints}
TABLES = (ROWS, LINKS, CLAUSES, ARRAYS, TASKS)
