"""Numbers of `thinktime.models.policies.slurm.counts`."""

OF_USER, OF_PARTITION, OF_BOTH, OF_ASSOCIATION, KINDS = range(5)
"""Whose jobs are counted, and how many kinds these are."""
