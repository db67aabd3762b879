"""Numbers of `thinktime.models.policies.slurm.rule`."""

STEP = 2.0**-10  # s: the grid of time
