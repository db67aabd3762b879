"""Numbers of `thinktime.models.engine.agent`."""

from thinktime.models.engine.codes.rules import NEEDS_ROOM

SEES, SEES_RUNNING, BACKFILLS, MAY_IDLE, ANSWER, CHOSEN, SHOWN, ASKED = range(8)  # places in ``options``
NO_ANSWER = -1
ASKS = NEEDS_ROOM - 1
FREE, PROCESSORS, HOUR, NOW = range(4)  # places in ``seen``; the time is not for the agent
FIRST = 4  # the place of the waiting jobs; behind them are the running ones
WAIT, ESTIMATE, WIDTH, USAGE = range(4)  # of a waiting job
REMAINING, RUNNING_WIDTH = range(2)  # of a running job
OF_WAITING, OF_RUNNING = 4, 2  # how many numbers each has
LARGEST = 2.0**53
"""What is larger, such as an infinite estimate, is shown as this."""
