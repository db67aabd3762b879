"""Numbers of `thinktime.models.orders.fair_tree`."""

OF_PARENT = -1.0
