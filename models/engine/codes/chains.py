"""Numbers of `thinktime.models.engine.chains`."""

ANY_STAMP = 1 << 62
