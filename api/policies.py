"""The policies of `models.policies` under a short name: ``from thinktime.policies import Easy``.

Names that are internal to the package are left out.
"""

from thinktime.models.policies import *  # noqa: F403
from thinktime.models.policies import __all__ as _all

_INSIDE = ("Accounts", "AccountOrder", "accounts_of", "as_order", "as_policy", "catalogue")

__all__ = [name for name in _all if name not in _INSIDE]

for _name in _INSIDE:
    del globals()[_name]
