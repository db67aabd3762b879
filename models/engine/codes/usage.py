"""Numbers of `thinktime.models.engine.usage`."""

START, END = 1, -1  # signs of a charge
MANY = 64  # periods at once beyond which a closed form replaces the loop
