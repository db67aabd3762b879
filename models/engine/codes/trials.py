"""Numbers of `thinktime.models.engine.rooms.trials`."""

FAR = 2.0**40  # s: stands for never
