"""Numbers of `thinktime.models.engine.slurm`."""

BACKFILL, CANDIDATE, MAIN, NEXT_TICK = range(4)  # places in ``clock``
STEP = 2.0**-10  # s: the grid of time
