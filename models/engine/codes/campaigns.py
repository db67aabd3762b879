"""Numbers of `thinktime.models.policies.ostrich.campaigns`."""

OSTRICH, SLURM, FAIRCAMP = range(3)  # rules
LPT, SPT, FCFS, MLPT = range(4)  # orders within a campaign
AWAY = -2
