"""Numbers of `thinktime.models.policies.search.search`."""

LDS, DDS = 0, 1
EXHAUSTED, LIMITED, PAUSED, LEAF = 0, 1, 2, 3  # why `explore` returns
DOWN, UP = 0, 1  # phases
HIERARCHICAL, RELATIVE, PRODUCT = 0, 1, 2
WAIT, SLOWDOWN, DEVIATION, STRETCH, OWN = 0, 1, 2, 3, 4
FOLLOWING, PRECEDING, PATH, RANK, LEFT, FIRST, BEHIND, MADE, BEST, LINES = range(10)  # rows of ``tree``, and how many
FOREVER = 2**62
PER_JOB = "submit", "duration", "root", "start", "best"
OF_GROUPS = "used", "entitled", "window_end", "campaign_submit", "campaign_end", "campaign_least", "scratch"
"""For `DEVIATION`: what owners of jobs will have ``used`` in the window when all that runs is over, and what they
are ``entitled`` to (processor-seconds); the window's end. For `STRETCH`: of campaigns, their submission, the latest
expected end of their running jobs, and the least time that they need on the whole machine."""
