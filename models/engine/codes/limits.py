"""Numbers of `thinktime.models.engine.limits.limits`."""

MOST, IN_USE, UNTIL, USED, SINCE, DECAY, KIND, OF_METER = range(8)
"""A meter: its limit; what running jobs have; that times their expected ends; what was used by the time ``SINCE``; by
what part of itself this decays (1/s); and what the limit is on."""
METER, RESOURCE, HOLDS, OF_ENTRY = range(4)
"""An entry of a group's: a meter, what it measures of the group's jobs, and whether its limit holds for them."""
AT_ONCE, THERE, AGEING, AHEAD, BUDGET, SAFE_BUDGET = range(6)
"""Kinds: running jobs; jobs that wait or run; waiting jobs whose age counts; what is left of the time limits of running
jobs; what was used; and the same with what running jobs and the next one could still use."""
ONE, CPUS = 0, 1
"""Resources: jobs count as one; all others are places in a job's amounts."""
NEVER, OVER, COUNTED, TAKEN, STARTS, AGES, LOW = 1, 2, 4, 8, 16, 32, 64
"""Bits of ``limit_bar``: a job asks for too much by itself; it is beyond a limit now; it counts as being there; the
rule would start it in this pass; and so do the limits; its age counts; and it comes last, since its budget is spent."""
REFUSES = 2**40
"""``limit_note[row]`` is -1 - a meter that has turned a job away, -`REFUSES` - the number of another reason for that,
or the number of the reason why a job never starts."""
UNBOUND, SPENT = -2, -3
"""No limit keeps a job from starting; its budget does."""
SPENDS = 1
"""The number of the reason why a job was refused whose budget is spent."""
