"""A small result with a job for each way to be, whose users have odd names."""

from typing import Any

import numpy as np
import pytest
import simpy

import thinktime as tt
from thinktime.models.results.result import Result
from thinktime.models.state import Reason, State

NAN = np.nan
ODD = ['</script><script>alert("1")</script>', 7, "Åse & <b>Bö</b> 'x'"]

ROWS: list[tuple[Any, ...]] = [
    # id, user, campaign, submit, start, end, n, estimate, state, think time, reason; 4 processors
    (1, 0, 0, 0.0, 0.0, 10.0, 3, 20.0, State.FINISHED, NAN, Reason.NO_REASON),
    (2, 0, 0, 0.0, 10.0, 30.0, 2, 20.0, State.KILLED, NAN, Reason.NO_ROOM),
    (3, 1, -1, 5.0, 5.0, 8.5, 1, 20.0, State.KILLED, NAN, Reason.NO_REASON),
    (4, 2, 1, 6.0, 20.0, 22.0, 1, 20.0, State.FINISHED, NAN, Reason.RESERVATION),
    (5, 1, -1, 31.0, NAN, 35.0, 1, 20.0, State.WITHDRAWN, 22.5, Reason.POLICY),
    (6, -1, -1, 32.0, NAN, NAN, 9, 20.0, State.REFUSED, NAN, Reason.NO_REASON),
    (7, 0, 2, 45.0, 50.0, NAN, 1, 200.0, State.RUNNING, 15.0, Reason.LIMIT),
    (8, 0, 2, 45.0, NAN, NAN, 4, 20.0, State.WAITING, 15.0, Reason.NO_ROOM),
]
NAMES = ("id", "user", "campaign", "submit", "start", "end", "processors", "estimate", "state", "think_time", "reason")


@pytest.fixture
def odd() -> Result:
    """The result."""
    columns = {name: [row[k] for row in ROWS] for k, name in enumerate(NAMES)}
    return Result.from_columns(columns, 4, names={"user": ODD}, policy="easy", now=100.0)


@pytest.fixture
def empty() -> Result:
    """A result without jobs."""
    nothing = np.empty(0)
    return Result.from_columns({"submit": nothing, "start": nothing, "end": nothing, "processors": nothing}, 4)


@pytest.fixture
def resized() -> Result:
    """A malleable job has 8 of 8 processors, shrinks for another after a notice of 5 s, and grows again at its end."""
    machine = tt.Machine(env := simpy.Environment(), 8, "shapes:expand=oldest,shrink=latest,to=preferred")
    machine.submit(tt.Job(runtime=100, shape="2-8 preferred=4 notice=5", user="ada"))
    env.run(until=20)
    machine.submit(tt.Job(runtime=20, processors=4, user="bob"))
    env.run()
    return machine.result()
