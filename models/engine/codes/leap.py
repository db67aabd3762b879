"""Numbers of `thinktime.models.engine.leap`."""

ENDS, PASS, TELL, AGAIN, HELP = range(5)  # where to go on
WORK = 500_000
"""Jobs looked at in one leap, some tenths of a second, before Python may show progress or be interrupted."""
