"""Numbers of `thinktime.models.policies.cplant.starvation`."""

NOBODY, ABOVE_MEAN, ABOVE_QUANTILE = range(3)  # who is barred from the starvation queue
MAIN, APART, HERE = range(3)  # queues; the last: apart, and in this pass
