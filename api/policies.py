"""The policies under a short name: ``from thinktime.policies import Easy``; they live in `models.policies`.

What only the package's inside needs (how texts become policies, how accounts are found) stays there.
"""

from thinktime.models.policies import *  # noqa: F403
from thinktime.models.policies import __all__ as _all

_INSIDE = ("Accounts", "AccountOrder", "accounts_of", "as_order", "as_policy", "catalogue")

__all__ = [name for name in _all if name not in _INSIDE]

for _name in _INSIDE:
    del globals()[_name]
