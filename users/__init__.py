"""Who submits: users as SimPy processes."""

from thinktime.users.campaigns import Profile, campaign_user, population
from thinktime.users.draws import draws
from thinktime.users.replay import replay, submit_trace

__all__ = ["Profile", "campaign_user", "draws", "population", "replay", "submit_trace"]
