"""Numbers of `thinktime.models.engine.slack_pass`."""

PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open
