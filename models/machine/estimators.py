"""What ``estimates`` say, also where they name an estimator in a script of the user's own."""

from typing import Any

from thinktime.models.jobs import estimates
from thinktime.models.jobs.estimator import as_estimator
from thinktime.models.orders.scripts import is_script
from thinktime.models.policies.spec import made_of_script


def guess_from(given: Any) -> Any:
    """As `thinktime.models.jobs.estimates.guess_from`, which knows nothing of scripts."""
    if isinstance(given, str) and is_script(given):
        path, _, rest = given.partition(":")
        return made_of_script(path, rest, as_estimator)
    return estimates.guess_from(given)
