"""Numbers of `thinktime.models.engine.slurm_plan`."""

BACKFILLS, DEPTH, PARTITION_DEPTH, TESTS, OF_USER, OF_PARTITION, OF_BOTH, OF_ASSOCIATION, STARTS_MOST = range(9)
RESERVATIONS, WHOLE, INCLUSIVE = range(9, 12)
"""Places in ``options``: whether there is backfill; numbers of jobs, 0 for all: that the main pass looks at, in all and
of a partition, that the backfill pass looks at, in all, of a user, of a partition, of a user in a partition and of an
association, that it starts, and that get reservations; whether these take whole nodes, and whether one that begins
exactly when a job would end is in its way."""
WINDOW, MIN_AGE, RESOLUTION, INTERVAL, GROUPS, LINEAR, MAIN_INTERVAL, ORIGIN, TICK, TICK_ORIGIN = range(10)
"""Places in ``seconds``: lengths, 0 for none, and times from which multiples of them are counted."""
