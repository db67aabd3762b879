"""Numbers of `thinktime.models.policies.agents.rule`."""

from thinktime.models.engine.codes.rules import NEEDS_ROOM

NO_ANSWER = -1
ASKS = NEEDS_ROOM - 1
FREE, PROCESSORS, HOUR, NOW, FIRST = range(5)
"""Places in ``seen``: the time is not for the agent, and from the last one on are waiting jobs, then running ones."""
WAIT, ESTIMATE, WIDTH, USAGE, OF_WAITING = range(5)  # of a waiting job, and how many numbers it has
REMAINING, RUNNING_WIDTH, OF_RUNNING = range(3)  # of a running job
SIZE, LASTING, OF_SIZE = range(3)  # of a size of a job: processors, and how long it would run, or go on, with them
LARGEST = 2.0**53
"""What is larger, such as an infinite estimate, is shown as this."""
