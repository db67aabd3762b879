"""The tree of accounts: who belongs to which account, with which shares and limits.

An *association* is an account, or a user in an account; a person in two accounts has two. Accounts are in a tree
below ``root``, users are its leaves. The order is that of the file: where Slurm breaks ties by order, it counts.

Slurm's files have a user ``root`` in the account ``root``, with one share: it is a leaf like any other, and counts
among the shares of its siblings (Slurm 22.05.8, measured: a share of 40 of 40 + 30 + 30 is 40/101).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from thinktime.models.site.limits import NO_LIMITS, NOTHING, Limits
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.reading.table import FLAT, Codec, Table
from thinktime.workloads.reading.values import Names, whole

ROOT = "root"
PARENT: Final = "parent"
"""The shares of a user who has those of the account (Slurm's ``fairshare=parent``)."""


def _shares(value: Any) -> Any:
    return value if value == PARENT else whole(f"a whole number or {quoted(PARENT)}")(value)


@dataclass(frozen=True, slots=True)
class Association(Table):
    """An account (``user`` is None), or a user in an account.

    ``parent`` is the account above an account; None stands for root. ``partition`` is given if the association holds in
    one partition only. ``qos`` are those it may use, and ``default_qos`` the one of jobs that name none; None is
    inherited from above, as are limits that are not set. ``default`` marks the account of a user's jobs that name none.
    """

    account: str
    user: str | None = None
    parent: str | None = None
    shares: Annotated[int | Literal["parent"], Codec(_shares)] = 1
    priority: int = 0
    qos: Names | None = None
    default_qos: str | None = None
    partition: str | None = None
    default: bool = False
    limits: Limits = field(default=NO_LIMITS, metadata={FLAT: True})

    def __post_init__(self) -> None:
        object.__setattr__(self, "qos", None if self.qos is None else tuple(self.qos))
        if not self.account:
            raise ValueError("an association needs an account")
        if self.shares != PARENT and (isinstance(self.shares, bool) or not _whole(self.shares)):
            raise ValueError(
                f"{shortened(self, 120)}: shares must be a whole number of at least 0 or {quoted(PARENT)}, not "
                f"{quoted(self.shares)}"
            )
        if self.user is not None and self.parent is not None:
            raise ValueError(
                f"{shortened(self, 120)} has the parent {quoted(self.parent)}, but a user belongs to the account"
            )
        if self.user is None and self.account == ROOT and self.parent is not None:
            raise ValueError(f"account root is above all others, so it has no parent {quoted(self.parent)}")

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """What tells it from all others: account, user and partition."""
        return self.account, self.user, self.partition

    @property
    def above(self) -> str | None:
        """The account that it belongs to; None for root itself."""
        if self.user is not None:
            return self.account
        return None if self.account == ROOT else self.parent or ROOT

    def __str__(self) -> str:
        user = "" if self.user is None else f"user {self.user} of "
        partition = "" if self.partition is None else f" in partition {self.partition}"
        return f"{user}account {self.account}{partition}"


@dataclass(frozen=True)
class AccountTree:
    """All associations, in the order of the file; the account root need not be among them.

    ``ValueError`` for an association that comes twice, an account that does not exist, and a circle of parents.
    """

    associations: tuple[Association, ...] = ()

    def __init__(self, associations: Sequence[Association] = ()) -> None:
        object.__setattr__(self, "associations", tuple(associations))
        seen = set()
        for each in self.associations:
            if each.key in seen:
                raise ValueError(f"{each} comes twice")
            seen.add(each.key)
        for each in self.associations:
            if each.above is not None and each.above not in self.accounts:
                known = key_of(each.above, self.accounts, "the accounts")
                raise ValueError(f"{each}: there is no account {quoted(each.above)}; {known}")
        for account in self.accounts.values():
            self._check_for_circles(account)

    def __iter__(self) -> Iterator[Association]:
        return iter(self.associations)

    def __len__(self) -> int:
        return len(self.associations)

    @cached_property
    def accounts(self) -> dict[str, Association]:
        """Accounts by their names: root first, then in the order of the file."""
        found = {each.account: each for each in self.associations if each.user is None}
        return {ROOT: found.pop(ROOT, Association(ROOT)), **found}

    @cached_property
    def users(self) -> tuple[Association, ...]:
        """The associations of users: the leaves of the tree, in the order of the file."""
        return tuple(each for each in self.associations if each.user is not None)

    def children(self, account: str) -> tuple[Association, ...]:
        """The accounts and users right below an account, in the order of the file."""
        self.account(account)
        return tuple(self._children.get(account, ()))

    def account(self, name: str) -> Association:
        """The association of an account itself; ``ValueError`` if there is none of this name."""
        if name not in self.accounts:
            raise ValueError(f"there is no account {quoted(name)}; {key_of(name, self.accounts, 'the accounts')}")
        return self.accounts[name]

    def find(self, account: str, user: str | None = None, partition: str | None = None) -> Association | None:
        """The association of a user's jobs in an account and partition; without a user, that of the account.

        The one for this partition alone comes before the one for all. None if there is none.
        """
        if user is None:
            return self.accounts.get(account)
        return self._by_key.get((account, user, partition)) or self._by_key.get((account, user, None))

    def default_account(self, user: str) -> str | None:
        """The account of a user's jobs that name none: the one marked so, else the first; None for a stranger."""
        own = self._of_user.get(user, ())
        return next((each.account for each in own if each.default), own[0].account if own else None)

    def path(self, association: Association) -> tuple[Association, ...]:
        """The association and all accounts above it, up to root."""
        found, above = [association], association.above
        while above is not None:
            found.append(self.accounts[above])
            above = found[-1].above
        return tuple(found)

    def inherited(self, association: Association, name: str) -> Any:
        """The ``qos``, ``default_qos`` or limit that counts: its own, else that of the nearest account above.

        Limits of a group hold at every level instead, so they are not inherited.
        """
        of_limits = name not in ("qos", "default_qos")
        for each in self.path(association):
            value = getattr(each.limits if of_limits else each, name)
            if value is not None and value != NOTHING:
                return value
        return NOTHING if of_limits and getattr(NO_LIMITS, name) == NOTHING else None

    @cached_property
    def _children(self) -> dict[str, list[Association]]:
        found = defaultdict(list)
        for each in self.associations:
            if each.above is not None:
                found[each.above].append(each)
        return dict(found)

    @cached_property
    def _by_key(self) -> dict[tuple[str, str | None, str | None], Association]:
        return {each.key: each for each in self.associations}

    @cached_property
    def _of_user(self) -> dict[str | None, list[Association]]:
        found = defaultdict(list)
        for each in self.users:
            found[each.user].append(each)
        return dict(found)

    def _check_for_circles(self, account: Association) -> None:
        passed, above = [account.account], account.above
        while above is not None:
            if above in passed:
                raise ValueError(f"account {above} is below itself: {' in '.join([*passed, above])}")
            passed.append(above)
            above = self.accounts[above].above


def _whole(value: object) -> bool:
    return isinstance(value, int) and value >= 0
