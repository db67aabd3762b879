"""Numbers of `thinktime.models.engine.starvation`."""

BARRED, BY, KEYED = range(3)  # places in ``options``; the last: the machine keeps the queue by a key
NOBODY, ABOVE_MEAN, ABOVE_QUANTILE = range(3)  # who is barred from the starvation queue
STARVE, QUANTILE = 0, 1  # places in ``limits``
MAIN, APART, HERE = range(3)  # queues; the last: apart, and in this pass
