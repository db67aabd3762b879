"""A site's tree of accounts as the arrays that the engine takes (`thinktime.models.orders.fair_tree`).

Accounts whose shares are ``parent`` have no node: for fair shares, those below them belong to the account above
(Slurm's manual of sacctmgr, Fairshare). Other nodes are in the order of the files, parents first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.models.engine.codes.fair_tree import OF_PARENT
from thinktime.models.site.accounts import PARENT, ROOT, AccountTree, Association
from thinktime.workloads.arrays import Floats, Ints


@dataclass(frozen=True)
class AccountNodes:
    """Nodes 0 (root), 1, …: their parents, children, shares and priorities, and which are users."""

    associations: tuple[Association, ...]
    parent: Ints
    first: Ints
    child: Ints
    user: Ints
    shares: Floats
    priority: Floats

    def __deepcopy__(self, memo: dict[int, object]) -> "AccountNodes":
        """Nodes do not change."""
        return self

    @classmethod
    def of(cls, tree: AccountTree) -> "AccountNodes":
        """The nodes of a tree."""
        found, parents = [tree.account(ROOT)], [0]

        def enter(account: str, node: int) -> None:
            for each in tree.children(account):
                if each.user is None and each.shares == PARENT:
                    enter(each.account, node)
                    continue
                found.append(each)
                parents.append(node)
                if each.user is None:
                    enter(each.account, len(found) - 1)

        enter(ROOT, 0)
        return cls._made(found, parents)

    @classmethod
    def flat(cls, users: int) -> "AccountNodes":
        """Users with equal shares, right below root."""
        return cls._made(
            [Association(ROOT), *(Association(ROOT, str(user)) for user in range(users))], [0] * (1 + users)
        )

    @classmethod
    def _made(cls, found: Sequence[Association], parents: Sequence[int]) -> "AccountNodes":
        parent = np.array(parents)
        user = np.array([each.user is not None for each in found], np.int64)
        nodes = np.arange(1, len(found))
        child = nodes[np.lexsort((-nodes, 1 - user[1:], parent[1:]))]
        first = np.searchsorted(parent[child], np.arange(len(found) + 1))
        shares = np.array([OF_PARENT if each.shares == PARENT else float(each.shares) for each in found])
        priority = np.array([float(each.priority) for each in found])
        return cls(tuple(found), parent, first, child, user, shares, priority)

    def __len__(self) -> int:
        return len(self.associations)

    @cached_property
    def number(self) -> dict[tuple[str, str | None, str | None], int]:
        """The nodes by their associations' keys."""
        return {each.key: v for v, each in enumerate(self.associations)}

    def used(self, by: Callable[[str, str | None], float]) -> Floats:
        """What each node had used by itself at the start; ``by`` says it of an association with all below it."""
        given = [by(each.account, each.user) for each in self.associations]
        own, below = np.zeros(len(self)), np.zeros(len(self))
        for v in range(len(self) - 1, -1, -1):
            own[v] = max(given[v] - below[v], 0.0)
            if v:
                below[self.parent[v]] += own[v] + below[v]
        return own
