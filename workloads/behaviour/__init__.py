"""What a log says about the behaviour of its users: sessions, batches, campaigns, think times, dependencies."""

from thinktime.workloads.behaviour.dependencies import Dependencies, dependencies
from thinktime.workloads.behaviour.fits import continuation, fit, fit_think_time
from thinktime.workloads.behaviour.marginals import Marginals, fit_marginals
from thinktime.workloads.behaviour.population import Population, UserModel, fit_users
from thinktime.workloads.behaviour.resampling import resample
from thinktime.workloads.behaviour.rhythm import Rhythm, rhythm_of
from thinktime.workloads.behaviour.scaling import Scaling, scale_users
from thinktime.workloads.behaviour.sessions import (
    DELIMITATIONS,
    THRESHOLDS,
    Groups,
    Sessions,
    campaigns,
    delimit,
)
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "DELIMITATIONS",
    "THRESHOLDS",
    "Dependencies",
    "Groups",
    "Marginals",
    "Population",
    "Rhythm",
    "Scaling",
    "Sessions",
    "UserModel",
    "campaigns",
    "continuation",
    "delimit",
    "dependencies",
    "fit",
    "fit_marginals",
    "fit_think_time",
    "fit_users",
    "resample",
    "rhythm_of",
    "scale_users",
]

import_on_demand(__name__)
