"""Numbers of `thinktime.models.engine.passes`."""

STRICT, NO_GUARANTEE, EASY = 0, 1, 2
