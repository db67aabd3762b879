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

from __future__ import annotations

import math

from thinktime.models.engine import queue_orders
from thinktime.models.engine.codes import fair_tree as fair_tree_codes
from thinktime.models.engine.spare import Spare
from thinktime.workloads.arrays import Floats, Ints

INFINITY = math.inf

OF_PARENT = fair_tree_codes.OF_PARENT


def summed_up(spare: Spare, parent: Ints, own: Floats) -> Floats:
    """What each node has with all nodes below it."""
    total = spare.real_zeros(len(parent))
    for v in range(len(parent) - 1, -1, -1):
        total[v] += own[v]
        if v > 0:
            total[parent[v]] += total[v]
    return total


def siblings_shares(spare: Spare, parent: Ints, shares: Floats) -> Floats:
    """What the children of each node have together, without those who have none of their own."""
    together = spare.real_zeros(len(parent))
    for v in range(1, len(parent)):
        if shares[v] != OF_PARENT:
            together[parent[v]] += shares[v]
    return together


def levels(spare: Spare, parent: Ints, shares: Floats, total: Floats) -> Floats:
    """The level L of each node; that of a user with the shares of the account is infinite."""
    together, level = siblings_shares(spare, parent, shares), spare.real_zeros(len(parent))
    for v in range(1, len(parent)):
        above = total[parent[v]]
        used = total[v] / above if above > 0.0 else 0.0
        if shares[v] == 0.0:
            level[v] = 0.0
        elif shares[v] == OF_PARENT or used == 0.0:
            level[v] = INFINITY
        else:
            level[v] = shares[v] / together[parent[v]] / used
    return level


def sort_siblings(stack: Spare, first: Ints, child: Ints, level: Floats, line: Ints, spare: Ints) -> None:
    """Sort the children of every node in ``line`` by falling level, those of one level as in ``child``.

    They are as the last call has left them, so hardly any of them move.
    """
    seat = spare[: len(level)]
    for i in range(len(child)):
        seat[child[i]] = i
    for v in range(len(first) - 1):
        begin, stop, moves = first[v], first[v + 1], 0
        for i in range(begin + 1, stop):
            c, j = line[i], i
            while j > begin and _before(level, seat, c, line[j - 1]):
                line[j] = line[j - 1]
                j -= 1
            line[j] = c
            moves += i - j
            if moves > 16 * (stop - begin):
                _merge(stack, child, level, line, spare[len(level) :], begin, stop)
                break


def _before(level: Floats, seat: Ints, c: int, other: int) -> bool:
    """Whether a node comes before a sibling."""
    return bool(level[c] > level[other] or (level[c] == level[other] and seat[c] < seat[other]))


def _merge(stack: Spare, child: Ints, level: Floats, line: Ints, spare: Ints, begin: int, stop: int) -> None:
    """Sort the children of one node from the beginning."""
    before, keys = stack.used, stack.real(len(level))
    for i in range(begin, stop):
        line[i], keys[child[i]] = child[i], -level[child[i]]
    by_key = queue_orders.sort_places(keys, line[begin:stop], spare[begin:stop])
    for i in range(len(by_key)):
        line[begin + i] = by_key[i]
    stack.used = before


def fair_tree(
    spare: Spare, parent: Ints, first: Ints, child: Ints, user: Ints, level: Floats, line: Ints, factor: Floats
) -> None:
    """Write the Fair Tree factor F of every user; ``line`` has the children of every node, in any order.

    ``level`` is that of `levels`.
    """
    n = 0
    sort_siblings(spare, first, child, level, line, spare.whole(2 * len(level)))
    walked, tied = spare.whole(len(parent)), spare.zeros(len(parent))  # how far walked; who is tied
    for v in range(len(parent)):
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


def classic(
    spare: Spare,
    parent: Ints,
    user: Ints,
    shares: Floats,
    total: Floats,
    before: Floats,
    dampening: float,
    factor: Floats,
) -> None:
    """Write the classic factor F of every node."""
    together = siblings_shares(spare, parent, shares)
    norm, effective = spare.real(len(parent)), spare.real(len(parent))
    norm[0] = effective[0] = 1.0
    for v in range(1, len(parent)):
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
