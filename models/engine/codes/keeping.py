"""Numbers of `thinktime.models.engine.keeping`."""

NOTHING, ALONE, INSIDE = -3, -2, -1
"""What a suspended job keeps at a time: nothing from a job that asks; or something by itself; or within what the
running job uses that sent it away."""
