"""The behaviour of users in a log: sessions, batches, campaigns, think times, dependencies."""

from thinktime.workloads.lazy import import_on_demand
from thinktime.workloads.user_models.dependency_graph import Dependencies, dependencies
from thinktime.workloads.user_models.fits import continuation, fit, fit_think_time
from thinktime.workloads.user_models.marginal_fits import fit_marginals
from thinktime.workloads.user_models.marginals import UserMarginals
from thinktime.workloads.user_models.population import Population, UserModel, fit_users, resample
from thinktime.workloads.user_models.rhythm import WeeklyRhythm, rhythm_of
from thinktime.workloads.user_models.scaling import Scaling, scale_users
from thinktime.workloads.user_models.sessions import DELIMITATIONS, THRESHOLDS, Groups, Sessions, campaigns, delimit

__all__ = [
    "DELIMITATIONS", "THRESHOLDS", "Dependencies", "Groups", "UserMarginals", "Population", "WeeklyRhythm",
    "Scaling", "Sessions", "UserModel", "campaigns", "continuation", "delimit", "dependencies", "fit",
    "fit_marginals", "fit_think_time", "fit_users", "resample", "rhythm_of", "scale_users",
]  # fmt: skip

import_on_demand(__name__)
