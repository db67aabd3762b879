"""Numbers of `thinktime.models.engine.end_groups`."""

SLOTS = 24  # intervals of which tables are kept: with the last of 30 s · 2²³, these are 8 years
