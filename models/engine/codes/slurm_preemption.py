"""Numbers of `thinktime.models.engine.slurm_preemption`."""

YOUNGEST, REORDERS, STRICT, SWEEP, PHASE, RETRY, REQUEUES, HEADER = range(8)
"""Places in ``classes``: who is taken first, how often candidates are put in another order, whether the rest of them
keep theirs; how many seconds sweeps for time limits are apart, and at what time one is; how many seconds attempts of a
job are apart; whether jobs are requeued that do not say so."""
MODE, SHORTEST, NOTICE, CHEAPNESS, OF_CLASS = range(5)
"""Places of a class: how its jobs leave (`thinktime.models.engine.situation`), how long they run at least, their grace
(s), and what candidates are sorted by."""
