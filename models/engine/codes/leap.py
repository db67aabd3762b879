"""Numbers of `thinktime.models.engine.leap`."""

ENDS, PASS, TELL, AGAIN, HELP = range(5)  # where to go on
WORK = 200_000
"""Jobs looked at in one leap, a tenth of a second at most, before Python may show progress or be interrupted."""
