"""Who submits: users as SimPy processes."""

from thinktime.users.behaviours import Behaviour
from thinktime.users.campaign_user import campaign_user, population, turnover
from thinktime.users.feedback import replay_with_feedback
from thinktime.users.generative import generative_users
from thinktime.users.local_hours import WorkingHours
from thinktime.users.log_source import submit_trace
from thinktime.users.office_log import made_up_log
from thinktime.users.profiles import LONG, PROFILES, SHORT, Profile, Reaction, mix
from thinktime.users.replay import replay, submit_with_dependencies
from thinktime.users.sampling import draws
from thinktime.users.satisfaction import Satisfaction, acceptable_wait
from thinktime.users.scripted import scripted_user
from thinktime.users.user import User
from thinktime.workloads.lazy import import_on_demand

__all__ = [
    "LONG", "PROFILES", "SHORT", "Behaviour", "Profile", "Reaction", "Satisfaction", "User",
    "WorkingHours", "acceptable_wait", "campaign_user", "draws", "generative_users", "made_up_log", "mix", "population",
    "replay", "replay_with_feedback", "scripted_user", "submit_trace", "submit_with_dependencies",
    "turnover",
]  # fmt: skip

import_on_demand(__name__)
