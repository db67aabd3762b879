"""A site: its nodes and everything that its batch system's configuration says about who waits for whom."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from thinktime.models.site.accounts import AccountTree, Association
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.flags import checked, one_of
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.time_limits import TimeLimits
from thinktime.models.site.usage import Usage
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.nodes import NODES, Nodes
from thinktime.workloads.reading.table import Rows, Table, read
from thinktime.workloads.reading.texts import tables_in
from thinktime.workloads.reading.texts import text_of as toml_of
from thinktime.workloads.reading.values import Names, NameSet
from thinktime.workloads.text_files import text_of

ENFORCED = ("associations", "limits", "qos", "safe")
PARTITION_LIMITS = ("NO", "ANY", "ALL")


@dataclass(frozen=True, eq=False)
class Site(Table):
    """A site; the defaults are those of Slurm 22.05.

    Without ``partitions``, there is one, ``main``, of all nodes; without ``qos`` there is ``normal``. ``enforce`` is
    AccountingStorageEnforce: ``associations``, ``limits``, ``qos`` (a job must have one), ``safe`` (no job starts that
    could use up a budget). Limits count only with ``limits``, and so does what jobs used after their last tick.
    ``accounting`` is False without slurmdbd: then age and fair shares weigh nothing. ``memory`` says whether jobs are
    given memory, or only charged for it. ``usage`` is what was used before the start.
    """

    name: str = "site"
    nodes: Annotated[Nodes, NODES] = field(default_factory=lambda: Nodes.uniform(1, 1))
    partitions: Annotated[tuple[Partition, ...], Rows(Partition, tuple, "partition")] = (
        Partition("main", default=True),
    )
    qos: Annotated[tuple[QOS, ...], Rows(QOS, tuple, "QOS")] = (QOS("normal"),)
    accounts: Annotated[AccountTree, Rows(Association, AccountTree, "account")] = field(default_factory=AccountTree)
    priority: PriorityRules = field(default_factory=PriorityRules)
    backfill: Backfill = field(default_factory=Backfill)
    preemption: Preemption = field(default_factory=Preemption)
    time_limits: TimeLimits = field(default_factory=TimeLimits)
    enforce: NameSet = frozenset()
    enforce_partition_limits: str = "NO"
    """Whether jobs beyond a partition's limits are refused (EnforcePartLimits)."""
    accounting: bool = True
    memory: bool = True
    kill_invalid_dependencies: bool = False
    """Whether jobs whose dependency can never be met are cancelled (DependencyParameters)."""
    max_array_size: int = 1_001
    least_loaded: bool = False
    """Whether jobs get the nodes with the most idle processors (SelectTypeParameters=CR_LLN)."""
    serial_at_end: bool = False
    """Whether jobs of one processor get the last node with room (pack_serial_at_end)."""
    usage: Annotated[tuple[Usage, ...], Rows(Usage, tuple, "usage of account")] = ()
    not_modelled: Names = ()
    """Settings of the real site that are not modelled, such as ``LLN=YES: nodes are chosen as in all partitions``.
    Checks and results name them; they change nothing."""

    def __post_init__(self) -> None:
        for name in ("partitions", "qos", "usage", "not_modelled"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "enforce", checked("enforce", self.enforce, ENFORCED))
        one_of("enforce_partition_limits", self.enforce_partition_limits, PARTITION_LIMITS)
        if not self.partitions:
            raise ValueError("a site needs a partition")
        _check_unique("partitions", [each.name for each in self.partitions])
        _check_unique("QOS", [each.name for each in self.qos])
        _check_unique("defaults among the partitions", ["default" for each in self.partitions if each.default])
        for partition in self.partitions:
            self._check_partition(partition)
        for qos in self.qos:
            self._check_qos(f"QOS {shortened(qos.name, 40)}: preempts", qos.preempts)
        for association in self.accounts:
            named = (*(association.qos or ()), *([association.default_qos] if association.default_qos else []))
            self._check_qos(str(association), named)
            if association.partition is not None:
                self.partition(association.partition)
        for used in self.usage:
            if self.accounts.find(used.account, used.user) is None:
                raise ValueError(
                    f"usage of {shortened(used.user or 'all', 40)} in account {quoted(used.account)}, which is not "
                    "in the tree"
                )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Site":
        """Read a site's file (TOML); ``ValueError`` names the file, the part and the key that is wrong."""
        text = text_of(Path(path))
        try:
            return cls.from_toml(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    @classmethod
    def from_toml(cls, text: str) -> "Site":
        """The site that a text in TOML describes."""
        return cls.of_tables(tables_in(text))

    @classmethod
    def of_tables(cls, tables: Mapping[str, Any]) -> "Site":
        """The site that plain tables describe, as a file has them."""
        return read(cls, tables, "a site")

    def to_toml(self) -> str:
        """The site in TOML, without defaults; `from_toml` gives it back."""
        return toml_of(self, always=("name", "nodes"))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the site's file, whole or not at all."""
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(f"there is no folder {Path(path).parent} to write {Path(path).name} to")
        with whole_or_nothing(Path(path)) as temporary:
            temporary.write_text(self.to_toml(), encoding="utf-8")

    @property
    def limited(self) -> bool:
        """Whether limits of associations and QOS are enforced, which needs accounting."""
        return self.accounting and bool({"limits", "safe"} & self.enforce)

    def __eq__(self, other: object) -> bool:
        """Whether all that is configured is equal, be it with or without a machine.

        See `thinktime.models.machine.configured`.
        """
        return self._values == other._values if isinstance(other, Site) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, each.name) for each in fields(self))

    def partition(self, name: str | None = None) -> Partition:
        """A partition by its name, or the default one; ``ValueError`` if there is none of this name."""
        if name is None:
            return next((each for each in self.partitions if each.default), self.partitions[0])
        if name not in self._partitions:
            raise ValueError(
                f"there is no partition {quoted(name)}; {key_of(name, self._partitions, 'the partitions')}"
            )
        return self._partitions[name]

    def quality(self, name: str) -> QOS:
        """A QOS by its name; ``ValueError`` if there is none."""
        if name not in self._qos:
            raise ValueError(f"there is no QOS {quoted(name)}; {key_of(name, self._qos, 'the QOS')}")
        return self._qos[name]

    def partition_of(self, partition: Any, queue: Any) -> Partition:
        """The partition of a job, or the first of several (`partitions_of`)."""
        return self.partitions_of(partition, queue)[0]

    def partitions_of(self, partition: Any, queue: Any) -> tuple[Partition, ...]:
        """The partitions of a job: those that its ``partition`` names (``a`` or ``a,b``), each once.

        Without any, its ``queue`` if that is no QOS, else the default one. Names that the site does not have count as
        none.
        """
        by_queue = None if str(queue) in self._qos else queue
        for names in (partition, by_queue):
            words = () if names is None else dict.fromkeys(word.strip() for word in str(names).split(","))
            if found := tuple(self._partitions[word] for word in words if word in self._partitions):
                return found
        return (self.partition(),)

    def qos_of(self, queue: Any) -> QOS | None:
        """The QOS that a job's ``queue`` names; None for that of its association."""
        return None if queue is None else self._qos.get(str(queue))

    def quality_of(self, user: Any, account: Any, queue: Any, partition: str) -> QOS | None:
        """The QOS under which a job runs: that of its ``queue``, else the default one of its association, if any."""
        own, association = self.qos_of(queue), self.association_of(user, account, partition)
        if own is None and association is not None:
            own = self.qos_of(self.accounts.inherited(association, "default_qos"))
        return self.qos_of("normal") if own is None else own

    def association_of(self, user: Any, account: Any, partition: str) -> Association | None:
        """The association of a job of this user and account (None: the user's own) in a partition, if there is one."""
        name = self.accounts.default_account(str(user)) if account is None else str(account)
        if user is None or name is None:
            return None
        known = name in self.accounts.accounts
        return self.accounts.find(name if known else name.lower(), str(user), partition)  # accounts are lower case

    def nodes_of(self, partition: str) -> tuple[str, ...]:
        """The names of a partition's nodes."""
        own = self.partition(partition).nodes
        return self.nodes.names if own is None else own

    def used(self, account: str, user: str | None = None) -> float:
        """What an association had used at the start; 0 if nothing is known."""
        return self._used.get((account, user), 0.0)

    @cached_property
    def _partitions(self) -> dict[str, Partition]:
        return {each.name: each for each in self.partitions}

    @cached_property
    def _qos(self) -> dict[str, QOS]:
        return {each.name: each for each in self.qos}

    @cached_property
    def _used(self) -> dict[tuple[str, str | None], float]:
        return {(each.account, each.user): each.amount for each in self.usage}

    def _check_partition(self, partition: Partition) -> None:
        what = f"partition {shortened(partition.name, 40)}"
        for name in partition.nodes or ():
            if name not in self.nodes.numbers:
                raise ValueError(
                    f"{what}: there is no node {quoted(name)}; {key_of(name, self.nodes.numbers, 'the nodes')}"
                )
        own = [partition.qos] if partition.qos else []
        self._check_qos(what, (*(partition.allow_qos or ()), *partition.deny_qos, *own))

    def _check_qos(self, what: str, names: tuple[str, ...]) -> None:
        for name in names:
            try:
                self.quality(name)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from None


def _check_unique(kind: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the site has two {kind} {quoted(name)}")
