"""Ctrl-C in the middle of a leap: Python looks for signals when it calls a function of its own, compiled code never."""


def look_for_signals() -> None:
    """Let Python handle signals, such as that of Ctrl-C, whose `KeyboardInterrupt` comes out of the loop."""
