"""Numbers of `thinktime.models.engine.fair_tree`."""

OF_PARENT = -1.0
