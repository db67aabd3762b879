"""Numbers of `thinktime.models.engine.sources.plans`."""

UNTOLD, LOOKS_AGAIN = 1, 2
"""What ``balked`` says of a user who has balked and not submitted since: Python does not know it yet, or does."""
HOP = 1 << 40
"""Added to the turn of users who always sleep before they submit, even for no time."""
SECOND_LOOK = 1.0
"""The least time that passes between balking and the next campaign, s."""
