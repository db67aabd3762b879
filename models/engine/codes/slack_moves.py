"""Numbers of `thinktime.models.policies.slack.moves`."""

INSERT, REMOVE, EXTEND = 0, 1, 2  # what a slot is sought for
