"""The behaviours of `users.behaviours` under a short name: ``from thinktime.behaviours import Patience``."""

from thinktime.users.behaviours import *  # noqa: F403
from thinktime.users.behaviours import __all__ as __all__
