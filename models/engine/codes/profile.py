"""Numbers of `thinktime.models.engine.profile`."""

GIVE, TAKE = 1, -1  # signs of a change
LONG = 96
"""More steps than this are a long profile."""
