"""The policies under a short name: ``from thinktime.policies import Easy``; they live in `models.policies`."""

from thinktime.models.policies import *  # noqa: F403
from thinktime.models.policies import __all__ as __all__
