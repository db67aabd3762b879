"""Numbers of `thinktime.models.engine.leap`."""

ENDS, PASS, TELL, AGAIN, HELP = range(5)  # where to go on
WORK, UNSEEN = 5_000_000, 5_000
"""Jobs looked at in one leap before Python may show progress, and before it looks whether it is interrupted."""
