"""What a log says about the behaviour of its users: sessions, batches, campaigns, think times, dependencies."""

from thinktime.workloads.behaviour.dependencies import Dependencies, dependencies
from thinktime.workloads.behaviour.sessions import (
    DELIMITATIONS,
    THRESHOLDS,
    Groups,
    Sessions,
    campaigns,
    delimit,
)

__all__ = [
    "DELIMITATIONS",
    "THRESHOLDS",
    "Dependencies",
    "Groups",
    "Sessions",
    "campaigns",
    "delimit",
    "dependencies",
]
