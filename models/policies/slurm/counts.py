"""Of how many jobs Slurm's passes take notice: in all, of a user, of a partition, of both, and of an association.

Source: Slurm's page on slurm.conf (SchedulerParameters); Slurm 22.05.8, measured. A job that is left out because of one
of these numbers counts for none of them.
"""

from __future__ import annotations

from thinktime.models.engine.codes import slurm_counts as slurm_counts_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.policies.slurm import partitions as slurm_partitions
from thinktime.models.policies.slurm.memory import SlurmMemory
from thinktime.workloads.arrays import Ints


def numbers_of(state: State, rule: SlurmMemory, rows: Ints) -> Ints:
    """For each kind of number that is limited, the place of every row's user, partition, …; for the other kinds 0.

    Kind by kind; nothing at all if none is limited.
    """
    n, limited = len(rows), False
    for k in range(slurm_counts_codes.KINDS):
        limited = limited or rule.at_most[k] > 0
    if not limited:
        return rows[:0]
    found = state.spare.zeros(slurm_counts_codes.KINDS * n)
    if rule.at_most[slurm_counts_codes.OF_USER] > 0:
        for i in range(n):
            found[i] = state.user[rows[i]] + 1
    if rule.at_most[slurm_counts_codes.OF_PARTITION] > 0 or rule.at_most[slurm_counts_codes.OF_BOTH] > 0:
        found[n : 2 * n] = places_of_partitions(state, rows)
    if rule.at_most[slurm_counts_codes.OF_BOTH] > 0:
        _rank_pairs(state, state.spare.taken_whole(state.user, rows), found[n : 2 * n], found[2 * n : 3 * n])
    if rule.at_most[slurm_counts_codes.OF_ASSOCIATION] > 0:
        users, groups = state.spare.taken_whole(state.user, rows), state.spare.taken_whole(state.group, rows)
        _rank_pairs(state, users, groups, found[3 * n :])
    return found


def places_of_partitions(state: State, rows: Ints) -> Ints:
    """A number for the partition of each row, in the order in which they come."""
    found, firsts, m = state.spare.zeros(len(rows)), state.spare.whole(len(rows)), 0
    for i in range(len(rows)):
        place = 0
        while place < m and not slurm_partitions.same_partition(state, firsts[place], rows[i]):
            place += 1
        if place == m:
            firsts[m] = rows[i]
            m += 1
        found[i] = place
    return found


def _rank_pairs(state: State, one: Ints, other: Ints, found: Ints) -> None:
    """Number pairs from 0; equal pairs have the same number."""
    n, most = len(one), 0
    for j in range(len(other)):
        each = other[j]
        most = max(most, each)
    keys = state.spare.real(n)
    for i in range(n):
        keys[i] = (one[i] + 1) * (most + 2) + other[i] + 1
    order, rank = state.spare.sorted_places(keys, n), 0
    for i in range(n):
        rank += i > 0 and keys[order[i]] != keys[order[i - 1]]
        found[order[i]] = rank


def counts_for(state: State, numbers: Ints) -> Ints:
    """For each kind as many counts as there are users, partitions, … at the most, all of 0."""
    most = 0
    for i in range(len(numbers)):
        most = max(most, numbers[i])
    return state.spare.zeros(slurm_counts_codes.KINDS * (most + 1))


def is_looked_at(rule: SlurmMemory, numbers: Ints, counts: Ints, n: int, i: int) -> bool:
    """Whether the pass looks at the ``i``-th of ``n`` rows; if it does, the row counts."""
    if len(numbers) == 0:
        return True
    each = len(counts) // slurm_counts_codes.KINDS
    for k in range(slurm_counts_codes.KINDS):
        if 0 < rule.at_most[k] <= counts[k * each + numbers[k * n + i]]:
            return False
    for k in range(slurm_counts_codes.KINDS):
        counts[k * each + numbers[k * n + i]] += 1
    return True


def places_in_main_pass(state: State, rule: SlurmMemory, rows: Ints) -> Ints:
    """The number of each row's partition, if the main pass looks at some of each only; else nothing."""
    return places_of_partitions(state, rows) if rule.partition_depth > 0 else rows[:0]
