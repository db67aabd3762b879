"""Numbers of `thinktime.models.engine.slurm_preemption`."""

MODE, SHORTEST, NOTICE, CHEAPNESS, OF_CLASS = range(5)
"""Places of a class: how its jobs leave (`thinktime.models.engine.situation`), how long they run at least, their grace
(s), and what candidates are sorted by."""
