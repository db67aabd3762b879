"""Behaviours: the small pieces from which a user is composed, and a base for your own.

==================  =============================================================================================
stay or leave       `Continuation` (a session goes on with a probability that falls with the response time)
think               `LinearThinking` (think time linear in the response time), `Rhythm` (by hour and weekday)
lose patience       `Patience` (renege: withdraw after so long), `Balk` (do not submit when the queue looks bad)
give way            `Delay`, `Degrade`, `Reconfigure`, `Renounce`, while a condition holds: `Windows`,
                    `waiting_long`, `crowded`, or any function of the user
adapt               `Adapt` (any change of a job), `Estimate` (longer after a kill)
hold back           `InFlight` (a limit on jobs in flight)
be content          `Contentment` (complaints about waits, and leaving after too many)
==================  =============================================================================================

``Profile(…, behaviours=(Continuation(), Patience(4 * HOUR)))`` is a user with both. The order matters where two have
the same say: they are asked in the order given.
"""

from thinktime.users.behaviours.adapting import (
    Adapt,
    Condition,
    Degrade,
    Delay,
    Estimate,
    Reconfigure,
    Renounce,
    Windows,
    crowded,
    waiting_long,
)
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.contentment import Contentment
from thinktime.users.behaviours.limits import InFlight
from thinktime.users.behaviours.patience import Balk, Patience
from thinktime.users.behaviours.sessions import Continuation
from thinktime.users.behaviours.thinking import LinearThinking, Rhythm
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "Adapt",
    "Balk",
    "Behaviour",
    "Condition",
    "Contentment",
    "Continuation",
    "Degrade",
    "Delay",
    "Estimate",
    "InFlight",
    "LinearThinking",
    "Patience",
    "Reconfigure",
    "Renounce",
    "Rhythm",
    "Windows",
    "crowded",
    "waiting_long",
]

import_on_demand(__name__)
