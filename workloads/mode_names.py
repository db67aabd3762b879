"""The modes in which a log can be replayed, by name; `thinktime.users.modes` makes a source of each."""

OPEN, CALIBRATED, GENERATIVE = "open", "calibrated", "generative"
"""Jobs at their recorded times, by hazards that were fitted to the log, and of drawn users."""
RULED = ("feedback", "clock", "reacting", "partly-open")
"""The users of the log wait for what they waited for in it, and think as long or by a rule."""
CLOSED = (*RULED, CALIBRATED)
"""The jobs of the log, of which users submit some when others are over."""
MODES = (OPEN, *CLOSED, GENERATIVE)
"""All modes of replay, in the order of tables."""
DEFAULT_MODES = (OPEN, "feedback")
TITLES = {
    OPEN: "Open loop: jobs arrive at their recorded times",
    CALIBRATED: "Calibrated: users submit with hazards that were fitted to the log",
    "feedback": "With feedback: users wait for what they waited for in the log",
    "clock": "Clock: as with feedback, but breaks end at their time of day",
    "reacting": "Reacting: as with feedback, but pauses depend on response times and the hour",
    "partly-open": "Partly open: sessions begin as in the log, and in them users wait",
    GENERATIVE: "Generative: users drawn from those of the log; they wait for results more than these do",
}
"""What each says of the users."""
