"""Numbers of `thinktime.models.engine.slack`."""

BASE, FIXED, TRIAL = (0, 1, 2)  # profiles: running jobs, with those that stay, with all others
