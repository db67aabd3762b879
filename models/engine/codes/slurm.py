"""Numbers of `thinktime.models.engine.slurm`."""

STEP = 2.0**-10  # s: the grid of time
