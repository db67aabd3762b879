"""Numbers of `thinktime.models.engine.interruptions.runs`."""

LOST, KEPT = 0, 1
"""What becomes of work since the last checkpoint."""
LEAST = 1.0  # s: the shortest plan
