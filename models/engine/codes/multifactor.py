"""Numbers of `thinktime.models.orders.priorities`."""

EXACT, SLURM = range(2)
PLAIN_SIZE, PER_MINUTE = range(2)  # what the size of a job is
# of a kind: its factors, the processors and nodes of the partition, what is billed, and the tier of the partition
OF_PARTITION, OF_QOS, USAGE_FACTOR, CPUS, NODES, PER_CPU, PER_NODE, TIER, OF_KIND = range(9)
# of a row: the fewest nodes that it could do with, processors that count for its size, points for other resources, what
# is billed for these, nice, and nodes that count for its size (0: as if each processor were a node)
N, C, POINTS, BILLED, OWN_NICE, NAMED, OF_ROW = range(7)
