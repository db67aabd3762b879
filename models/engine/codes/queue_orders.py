"""Numbers of `thinktime.models.engine.queue_orders`."""

LXF, WFP3, UNICEF, BY_USAGE, CRITICALITY = range(1, 6)  # codes
BY_USER, BY_GROUP = 0, 1
PROCESSORS, EQUIVALENTS = 0, 1  # what is measured
RUN = 8  # so many rows are sorted by insertion
LONGEST = 2.0**60  # s: stands for an infinite estimate where the limit is wanted
