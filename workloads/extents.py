"""The size of a synthetic log whose recipe is given by name, unless it is asked for another."""

DEFAULT_EXTENT = {"jobs": 10_000, "users": 26, "processors": 64}
