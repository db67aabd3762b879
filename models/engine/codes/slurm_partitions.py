"""Numbers of `thinktime.models.policies.slurm.partitions`."""

CLOSED = 2**59
"""What a node of a closed partition has less of everything."""
