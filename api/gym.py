"""The environments of `analysis.gym` under a short name: ``import thinktime.gym``. They need the extra ``gym``."""

from thinktime.analysis.gym import *  # noqa: F403
from thinktime.analysis.gym import __all__ as __all__
