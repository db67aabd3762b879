"""Numbers of `thinktime.models.engine.gapped`."""

FAR = 256
"""How many rows an insertion may move."""
