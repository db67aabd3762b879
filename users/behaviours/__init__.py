"""Behaviours: the building blocks of a user, and a base class for your own.

==================  =============================================================================================
sessions            `Continuation` (a session continues with a probability that falls with the response time)
thinking            `LinearThinking` (think time linear in the response time), `Rhythm` (by hour and weekday),
                    `Mornings` (from outside working hours to the next morning)
impatience          `Patience` (renege: withdraw after a time), `Balk` (do not submit when the queue looks bad)
giving way          `Delay`, `Degrade`, `Reconfigure`, `Renounce`, while a condition holds: `Windows`,
                    `waiting_long`, `crowded`, or any function of the user
adapting            `Adapt` (any change of a job), `Estimate` (longer after a kill)
limits              `InFlight` (a limit on jobs in flight)
refusals            `ComeBack` (submit a refused job again later), `Split` (in parts)
choosing            `Choose` (the queue or partition of the earliest start), `Shorten` (ask for less time)
interruptions       `Discouraged` (give up a campaign after so many interruptions of its jobs)
satisfaction        `Contentment` (complaints about waits, and leaving after too many)
==================  =============================================================================================

``Profile(…, behaviours=(Continuation(), Patience(4 * HOUR)))`` is a user with both. Behaviours are asked in the order
given.
"""

from thinktime.users.behaviours.adapting import (
    Adapt,
    Condition,
    Degrade,
    Delay,
    Estimate,
    InFlight,
    Reconfigure,
    Renounce,
    Windows,
    crowded,
    waiting_long,
)
from thinktime.users.behaviours.base import Behaviour
from thinktime.users.behaviours.choosing import Choose, Shorten
from thinktime.users.behaviours.interruptions import Discouraged
from thinktime.users.behaviours.patience import Balk, Patience
from thinktime.users.behaviours.refusals import ComeBack, Split
from thinktime.users.behaviours.thinking import Contentment, Continuation, LinearThinking, Mornings, Rhythm
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "Adapt", "Balk", "Behaviour", "Choose", "ComeBack", "Condition", "Contentment", "Continuation", "Degrade", "Delay",
    "Discouraged", "Estimate", "InFlight", "LinearThinking", "Mornings", "Patience", "Reconfigure", "Renounce",
    "Rhythm", "Shorten", "Split", "Windows", "crowded", "waiting_long",
]  # fmt: skip

import_on_demand(__name__)
