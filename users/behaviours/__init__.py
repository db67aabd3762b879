"""Behaviours: the building blocks of a user, and a base class for your own.

===============  ================================================================================================
`thinking`       when users come back: sessions, think times by the response or by the hour, breaks after complaints
`patience`       leaving the queue after a time, and not joining it when it looks bad
`adapting`       submitting later, less, in another shape or not at all; limits on jobs in flight; longer estimates
`choosing`       the queue or partition of the earliest start, and asking for less time
`shown`          what a site shows of prices and other signals, and conditions by it
`responding`     what users do about a price or another condition, beside the ways of `adapting`
`sizing`         sizes of jobs: by the predicted end, by habit, within a budget, by what is free
`refusals`       submitting a refused job again, later or in parts
`interruptions`  giving up a campaign after so many interruptions of its jobs
===============  ================================================================================================

``Profile(…, behaviours=(Continuation(), Patience(4 * HOUR)))`` is a user with both. Behaviours are asked in the order
given. What a module names in its ``__all__`` is public here and in `thinktime.behaviours`, is read in scenario files,
and stands in the reference.
"""

from typing import TYPE_CHECKING

from thinktime.users.behaviours import (
    adapting,
    base,
    choosing,
    interruptions,
    patience,
    refusals,
    responding,
    shown,
    sizing,
    thinking,
)
from thinktime.users.behaviours.adapting import *  # noqa: F403
from thinktime.users.behaviours.base import *  # noqa: F403
from thinktime.users.behaviours.choosing import *  # noqa: F403
from thinktime.users.behaviours.interruptions import *  # noqa: F403
from thinktime.users.behaviours.patience import *  # noqa: F403
from thinktime.users.behaviours.refusals import *  # noqa: F403
from thinktime.users.behaviours.responding import *  # noqa: F403
from thinktime.users.behaviours.shown import *  # noqa: F403
from thinktime.users.behaviours.sizing import *  # noqa: F403
from thinktime.users.behaviours.thinking import *  # noqa: F403
from thinktime.workloads.lazy import import_on_demand

if not TYPE_CHECKING:  # mypy follows the imports above
    __all__ = sorted(
        name
        for module in (adapting, base, choosing, interruptions, patience, refusals, responding, shown, sizing, thinking)
        for name in module.__all__
    )

import_on_demand(__name__)
