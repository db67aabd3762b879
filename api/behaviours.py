"""The behaviours of `users.behaviours` under a short name: ``from thinktime.behaviours import Patience``."""

from typing import TYPE_CHECKING

from thinktime.users.behaviours import *  # noqa: F403

if not TYPE_CHECKING:  # mypy follows the import above
    from thinktime.users.behaviours import __all__ as __all__
