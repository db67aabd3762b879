"""Numbers of `thinktime.models.policies.slack.passes`."""

PRINTED, SP_KEPT, SP_FIRST, ABSOLUTE, OWN_PRICE = 0, 1, 2, 3, 4  # readings of what the paper leaves open
