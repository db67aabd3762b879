"""Sources of jobs for a run: ``run(spec, sources.feedback(trace))``. Sources can be combined.

* ``log(trace)``: jobs at their recorded times;
* ``dependencies(trace)``: as SWF fields 17 and 18 say, each campaign after the one that it waits for;
* ``feedback(trace)``: the users of a log wait for the same jobs as in the log, and think as long;
* ``calibrated(trace, users)``: the users of a log submit with the hazards that were fitted to them;
* ``drawn(trace, seed=…)``: users drawn from what was fitted to a log;
* ``campaigns(users, seed=…)``: users by name, each with a `Profile`;
* ``planned(plans)``: generated users whose campaigns are known in advance.

A log itself stands for ``log(trace)``. Any function of (env, machine) that returns a SimPy process, or several, is a
source too.
"""

from thinktime.users.calibrated import CalibratedLog as calibrated
from thinktime.users.campaign_user import CampaignUsers as campaigns
from thinktime.users.feedback import LogWithFeedback as feedback
from thinktime.users.generative import DrawnUsers as drawn
from thinktime.users.log_source import Log as log
from thinktime.users.replay import LogWithDependencies as dependencies
from thinktime.users.scripted import PlannedUsers as planned

__all__ = ["calibrated", "campaigns", "dependencies", "drawn", "feedback", "log", "planned"]
