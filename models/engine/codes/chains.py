"""Numbers of `thinktime.models.engine.sources.chains`."""

ANY_STAMP = 1 << 62
