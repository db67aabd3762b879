"""Numbers of `thinktime.models.policies.slurm.victims`."""

NOBODY, STARTS, LEFT, UNDER_NOTICE = (i for i in range(4))
"""What comes of an attempt to preempt."""
