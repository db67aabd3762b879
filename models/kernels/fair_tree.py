"""Fair shares in a tree of accounts: Fair Tree, and the classic formula, as Slurm 22.05.8 computes them.

The tree is in arrays: node 0 is root, and node v has ``parent[v] < v`` and ``shares[v]`` (`OF_PARENT`: those of the
account). Users (``user[v]`` is 1) are the leaves. The children of v are ``child[first[v] : first[v + 1]]``, users
before accounts and otherwise from the last to the first, since that is the order in which ties are broken: of tied
accounts the one that comes later in the site's files is walked first. ``total[v]`` is what v and everything below it
has used.

**Fair Tree.** For a child c of p: S = shares of c / those of its siblings (who have their own), U = total of c / total
of p, and level L = S / U. Siblings are walked by falling L, and users are numbered down from n, the number of all
users: F = rank / n. A sibling whose L equals that of the one before is tied with it, and so is the first sibling if the
account above is tied: a user who is tied has the rank of the user before. (Slurm's page says that the children of tied
accounts are merged. Its code does not do so.)

**Classic.** s = product of S down the tree, u = total / total of root, E = u right below root, else
u + (E of parent - u) S, and F = 2^(-(E / s) / dampening), 0 where s = 0. Users without shares of their own have E and s
of the account. The u of accounts is that of ``before``, as it was before the last tick added what running jobs used.
"""

import numpy as np

from thinktime.models.kernels.queue_orders import sort_places
from thinktime.workloads.compiler import Floats, Ints, kernel

OF_PARENT = -1.0


@kernel
def summed_up(parent: Ints, own: Floats) -> Floats:
    """What each node has with all nodes below it."""
    total = np.zeros(parent.size)
    for v in range(parent.size - 1, -1, -1):
        total[v] += own[v]
        if v > 0:
            total[parent[v]] += total[v]
    return total


@kernel
def siblings_shares(parent: Ints, shares: Floats) -> Floats:
    """What the children of each node have together, without those who have none of their own."""
    together = np.zeros(parent.size)
    for v in range(1, parent.size):
        if shares[v] != OF_PARENT:
            together[parent[v]] += shares[v]
    return together


@kernel
def levels(parent: Ints, shares: Floats, total: Floats) -> Floats:
    """The level L of each node; that of a user with the shares of the account is infinite."""
    together, level = siblings_shares(parent, shares), np.zeros(parent.size)
    for v in range(1, parent.size):
        above = total[parent[v]]
        used = total[v] / above if above > 0.0 else 0.0
        if shares[v] == 0.0:
            level[v] = 0.0
        elif shares[v] == OF_PARENT or used == 0.0:
            level[v] = np.inf
        else:
            level[v] = shares[v] / together[parent[v]] / used
    return level


@kernel
def sort_siblings(first: Ints, child: Ints, level: Floats, line: Ints, spare: Ints) -> None:
    """Sort the children of every node in ``line`` by falling level, those of one level as in ``child``.

    They are as the last call has left them, so hardly any of them move.
    """
    seat = spare[: level.size]
    for i in range(child.size):
        seat[child[i]] = i
    for v in range(first.size - 1):
        begin, stop, moves = first[v], first[v + 1], 0
        for i in range(begin + 1, stop):
            c, j = line[i], i
            while j > begin and _before(level, seat, c, line[j - 1]):
                line[j] = line[j - 1]
                j -= 1
            line[j] = c
            moves += i - j
            if moves > 16 * (stop - begin):
                _merge(child, level, line, spare[level.size :], begin, stop)
                break


@kernel
def _before(level: Floats, seat: Ints, c: int, other: int) -> bool:
    """Whether a node comes before a sibling."""
    return bool(level[c] > level[other] or (level[c] == level[other] and seat[c] < seat[other]))


@kernel
def _merge(child: Ints, level: Floats, line: Ints, spare: Ints, begin: int, stop: int) -> None:
    """Sort the children of one node from the beginning."""
    keys = np.empty(level.size)
    for i in range(begin, stop):
        line[i], keys[child[i]] = child[i], -level[child[i]]
    by_key = sort_places(keys, line[begin:stop], spare[begin:stop])
    for i in range(by_key.size):
        line[begin + i] = by_key[i]


@kernel
def fair_tree(
    parent: Ints, first: Ints, child: Ints, user: Ints, shares: Floats, total: Floats, line: Ints, factor: Floats
) -> None:
    """Write the Fair Tree factor F of every user; ``line`` has the children of every node, in any order."""
    level, n = levels(parent, shares, total), 0
    sort_siblings(first, child, level, line, np.empty(2 * level.size, np.int64))
    walked, tied = np.empty(parent.size, np.int64), np.zeros(parent.size, np.int64)  # how far walked; who is tied
    for v in range(parent.size):
        walked[v] = first[v]
        n += user[v]
    rank, following, account = n, n, 0
    while account > 0 or walked[0] < first[1]:
        if walked[account] == first[account + 1]:
            account = parent[account]
            continue
        v = line[walked[account]]
        if walked[account] == first[account]:
            tied[v] = tied[account]
        else:
            tied[v] = level[v] == level[line[walked[account] - 1]]
        walked[account] += 1
        if user[v] == 0:
            account = v
            continue
        if tied[v] == 0:
            rank = following
        factor[v] = rank / n
        following -= 1


@kernel
def classic(
    parent: Ints, user: Ints, shares: Floats, total: Floats, before: Floats, dampening: float, factor: Floats
) -> None:
    """Write the classic factor F of every node."""
    together = siblings_shares(parent, shares)
    norm, effective = np.ones(parent.size), np.ones(parent.size)
    for v in range(1, parent.size):
        p = parent[v]
        if shares[v] == OF_PARENT:
            norm[v], effective[v] = norm[p], effective[p]
        else:
            part = shares[v] / together[p] if together[p] > 0.0 else 0.0
            at = total if user[v] else before
            used = at[v] / at[0] if at[0] > 0.0 else 0.0
            norm[v] = norm[p] * part
            effective[v] = used if p == 0 else used + (effective[p] - used) * part
        factor[v] = 2.0 ** (-(effective[v] / norm[v]) / dampening) if norm[v] > 0.0 else 0.0
