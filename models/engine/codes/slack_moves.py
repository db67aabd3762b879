"""Numbers of `thinktime.models.engine.slack_moves`."""

INSERT, REMOVE, EXTEND = 0, 1, 2  # what a slot is sought for
