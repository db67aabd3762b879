"""Of how many jobs Slurm's passes take notice: in all, of a user, of a partition, of both, and of an association.

Source: Slurm's page on slurm.conf (SchedulerParameters); Slurm 22.05.8, measured. A job that is left out because of one
of these numbers counts for none of them.
"""

import numpy as np

from thinktime.models.kernels.queue_orders import sort_places
from thinktime.models.kernels.slurm_partitions import same_partition
from thinktime.models.kernels.slurm_plan import OF_ASSOCIATION, OF_BOTH, OF_PARTITION, OF_USER, PARTITION_DEPTH
from thinktime.workloads.compiler import Floats, Ints, IntTable, kernel
from thinktime.workloads.structures import Structure

KINDS = OF_ASSOCIATION - OF_USER + 1


@kernel
def numbers_of(state: Structure, rule: Structure, rows: Ints) -> IntTable:
    """For each kind of number that is limited, a line with the place of every row's user, partition, …; else of 0."""
    options, found = rule.options, np.zeros((KINDS, rows.size), np.int64)
    if options[OF_USER] > 0:
        for i in range(rows.size):
            found[0, i] = state.user[rows[i]] + 1
    if options[OF_PARTITION] > 0 or options[OF_BOTH] > 0:
        found[1] = places_of_partitions(state, rows)
    if options[OF_BOTH] > 0:
        _rank_pairs(state.user[rows], found[1], found[2])
    if options[OF_ASSOCIATION] > 0:
        _rank_pairs(state.user[rows], state.group[rows], found[3])
    return found


@kernel
def places_of_partitions(state: Structure, rows: Ints) -> Ints:
    """A number for the partition of each row, in the order in which they come."""
    found, firsts, m = np.zeros(rows.size, np.int64), np.empty(rows.size, np.int64), 0
    for i in range(rows.size):
        place = 0
        while place < m and not same_partition(state, firsts[place], rows[i]):
            place += 1
        if place == m:
            firsts[m] = rows[i]
            m += 1
        found[i] = place
    return found


@kernel
def _rank_pairs(one: Ints, other: Ints, found: Ints) -> None:
    """Number pairs from 0; equal pairs have the same number."""
    n, most = one.size, 0
    for each in other:
        most = max(most, each)
    keys: Floats = np.empty(n)
    for i in range(n):
        keys[i] = (one[i] + 1) * (most + 2) + other[i] + 1
    order, rank = sort_places(keys, np.arange(n), np.empty(n, np.int64)), 0
    for i in range(n):
        rank += i > 0 and keys[order[i]] != keys[order[i - 1]]
        found[order[i]] = rank


@kernel
def counts_for(numbers: IntTable) -> IntTable:
    """As many counts as there are users, partitions, … at the most, all of 0."""
    most = 0
    for k in range(KINDS):
        for each in numbers[k]:
            most = max(most, each)
    return np.zeros((KINDS, most + 1), np.int64)


@kernel
def is_looked_at(rule: Structure, numbers: IntTable, counts: IntTable, i: int) -> bool:
    """Whether the pass looks at the ``i``-th row; if it does, the row counts."""
    for k in range(KINDS):
        if 0 < rule.options[OF_USER + k] <= counts[k, numbers[k, i]]:
            return False
    for k in range(KINDS):
        counts[k, numbers[k, i]] += 1
    return True


@kernel
def places_in_main_pass(state: Structure, rule: Structure, rows: Ints) -> Ints:
    """The number of each row's partition, if the main pass looks at some of each only; else nothing."""
    return places_of_partitions(state, rows) if rule.options[PARTITION_DEPTH] > 0 else rows[:0]
