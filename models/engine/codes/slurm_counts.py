"""Numbers of `thinktime.models.engine.slurm_counts`."""

from thinktime.models.engine.codes.slurm_plan import OF_ASSOCIATION, OF_USER

KINDS = OF_ASSOCIATION - OF_USER + 1
