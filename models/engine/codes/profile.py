"""Numbers of `thinktime.models.engine.profile`."""

GIVE, TAKE = 1, -1  # signs of a change
LONG = 96
"""More steps than this are a long profile."""
NOTES = 1 + 4 * 4
"""The length of the notes of a sweep: how much is in use, and four entries of four values (`no_fit_before` there)."""
