"""Numbers of `thinktime.models.engine.slurm_victims`."""

NOBODY, STARTS, LEFT, UNDER_NOTICE = (i for i in range(4))
"""What comes of an attempt to preempt."""
