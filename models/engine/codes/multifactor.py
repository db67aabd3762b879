"""Numbers of `thinktime.models.engine.multifactor`."""

# places in ``options``; the last three change
ACCRUAL, FAIR_TREE, TRUNCATED, ENDS_COUNT, MAX_TRES, SIZE, SMALL_FIRST, IN_LINE, STALE, NEXT_RESET = range(10)
EXACT, SLURM = range(2)
PLAIN_SIZE, PER_MINUTE = range(2)  # what the size of a job is
# places in ``weights``: of the factors, then other numbers
AGE, ASSOCIATION, FAIRSHARE, JOB_SIZE, PARTITION, QOS, CPU, NODE, NICE = range(9)
MAX_AGE, PERIOD, ORIGIN, HALF_LIFE, DAMPENING, ALL_CPUS, ALL_NODES = range(9, 16)
# of a kind: its factors, the processors and nodes of the partition, what is billed, and the tier of the partition
OF_PARTITION, OF_QOS, USAGE_FACTOR, CPUS, NODES, PER_CPU, PER_NODE, TIER, OF_KIND = range(9)
# of a row: nodes and processors that count for its size (0: as if each processor were a node), points for other
# resources, what is billed for these, and nice
N, C, POINTS, BILLED, OWN_NICE, OF_ROW = range(6)
