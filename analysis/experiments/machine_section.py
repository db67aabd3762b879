"""`[machine]` of a scenario: a pool of processors, or nodes with several resources.

Nodes are described by a ``.machines`` file or by tables, one for each cluster of identical nodes:

    [[machine.nodes]]
    name = "fat"
    count = 20
    processors = 64
    memory = "256 GB"
"""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from thinktime.analysis.experiments.sections import Count, Section
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.changing.tables import EVENTS, NONE, NOTHING, changes_of, in_words
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.configured import MAINTENANCE, is_own, settings_in
from thinktime.models.machine.estimators import guess_from
from thinktime.models.machine.power import Power
from thinktime.models.machine.wanted import Wanted
from thinktime.models.orders.scripts import is_script
from thinktime.models.policies import from_spec
from thinktime.models.policies.base import Policy
from thinktime.models.site.budget import Budget
from thinktime.models.site.charge import Charge
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.site import Site
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import quoted
from thinktime.workloads.node_requests import amount
from thinktime.workloads.nodes import MEMORY, PROCESSORS, Cluster, Nodes
from thinktime.workloads.reading.table import read
from thinktime.workloads.signals.described import SignalFile
from thinktime.workloads.signals.units import unit_of

OWN = re.compile(r".+\.py:\w+$")
"""An allocator that is the user's own function."""


def _bytes(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return amount(MEMORY, value.replace(" ", ""))
    except ValueError:
        raise ValueError(f"must be bytes or a text such as '256 GB', not {quoted(value)}") from None


def _allocator(text: str) -> str:
    from thinktime.models.jobs.node_states import ALLOCATORS

    if text not in ALLOCATORS and not OWN.match(text):
        raise ValueError(f"must be one of {', '.join(ALLOCATORS)}, or FILE.py:NAME, not {quoted(text)}")
    return text


PRICED: dict[str, type] = {"power": Power, "charge": Charge, "budget": Budget}
"""What a machine draws, and what its users pay: values that are tables of their own."""
ANY_SITE = Site(priority=PriorityRules("multifactor"))
"""What stands for a site whose file is not read yet."""
Size = Annotated[int, Field(ge=0, lt=2**62)]
"""An amount of a resource."""


class ClusterSection(Section):
    """`[[machine.nodes]]`: identical nodes (`thinktime.workloads.nodes.Cluster`)."""

    name: Annotated[str, Field(min_length=1)] = "node"
    count: Count = 1
    processors: Annotated[int, Field(ge=1, le=2**31)]
    """Per node, like all amounts."""
    memory: Annotated[Size, BeforeValidator(_bytes)] = 0
    """Bytes, or a text such as "256 GB" (powers of 1024)."""
    gpus: Size = 0
    resources: dict[str, Size] = Field(default={})
    """Amounts of other resources that jobs may request, by name."""
    properties: tuple[str, ...] = ()

    def model_post_init(self, context: Any, /) -> None:
        """Check that no resource is given twice."""
        for name in (PROCESSORS, MEMORY, "gpus"):
            if name in self.resources:
                raise ValueError(f"has {name} in resources, but it is a separate key")

    def made(self) -> Cluster:
        """The cluster that this table describes."""
        some = {name: value for name, value in ((MEMORY, self.memory), ("gpus", self.gpus)) if value}
        amounts = {PROCESSORS: self.processors, **some, **self.resources}
        return Cluster(self.name, self.count, amounts, frozenset(self.properties))


class MachineSection(Section):
    """`[machine]`: its size or its nodes, and what happens to jobs that outlive their estimates."""

    processors: Annotated[int, Field(ge=1, le=2**31)] | None = None
    """Processors; by default those of the log's header, or of the nodes."""
    overrun: Literal["kill", "extend", "until_needed"] = "kill"
    estimates: str = "requested"
    """What policies plan with: requested, exact, factor=F, last-two, user-average, or an
    estimator in a script, FILE.py:NAME.

    See `thinktime.models.jobs.estimates`.
    """
    site: str | None = None
    """The file of a configured site: nodes, accounts, priorities. It is searched for in the same places as logs. The
    policy `site` is its own scheduler, and `site:CHANGE` that of a changed site
    (`thinktime.models.machine.configured`)."""
    machines: str | None = None
    """A ``.machines`` file that describes nodes, searched for in the same places as logs."""
    nodes: Annotated[tuple[ClusterSection, ...], Field(min_length=1)] | None = None
    """The nodes themselves, instead of a file."""
    allocator: Annotated[str, AfterValidator(_allocator)] | None = None
    """How a job's nodes are chosen: first-fit (default), best-fit, worst-fit, consecutive, or FILE.py:NAME."""
    begin: str | None = None
    """A file with the state that runs begin from (`MachineState.save`), searched for in the same places as logs."""
    changes: dict[str, Any] | None = None
    """Windows, outages and failures, and what becomes of the jobs that they interrupt: the keys of
    `thinktime.models.machine.changing.tables`, with the file of `events` searched for in the same places as logs."""

    power: dict[str, Any] | None = None
    """What the machine draws, and the cap on it: the keys of `thinktime.models.machine.power.Power`."""
    signals: dict[str, dict[str, Any]] | None = None
    """Prices, carbon and tariffs by name: the keys of `thinktime.workloads.signals.described.SignalFile`, with files
    searched for in the same places as logs."""
    charge: dict[str, Any] | None = None
    """What jobs are charged: the keys of `thinktime.models.site.charge.Charge`."""
    budget: dict[str, Any] | None = None
    """How much of it: the keys of `thinktime.models.site.budget.Budget`."""

    @property
    def priced(self) -> dict[str, Any]:
        """What the machine draws, and what its users pay, as fields of a machine."""
        given = {name: getattr(self, name) for name in PRICED if getattr(self, name) is not None}
        return {name: read(PRICED[name], table, f"machine.{name}") for name, table in given.items()}

    @property
    def signals_said(self) -> dict[str, SignalFile]:
        """The files of signals by name, and how they are to be understood."""
        return {name: read(SignalFile, table) for name, table in (self.signals or {}).items()}

    @property
    def has(self) -> list[str]:
        """Of power, carbon, a price and a charge, those that it has."""
        said = self.signals_said.items() if self.power is not None else ()
        kinds = {unit_of(each.unit_of(name)).kind for name, each in said}
        there = {"power": self.power is not None, "charge": self.charge is not None}
        return [name for name in ("power", "carbon", "price", "charge") if there.get(name) or name in kinds]

    @property
    def of_nodes(self) -> bool:
        """Whether the machine has nodes."""
        return self.site is not None or self.machines is not None or self.nodes is not None

    @property
    def nodes_text(self) -> str:
        """The nodes in words."""
        if self.nodes is None:
            return f"the nodes of {Path(self.site or self.machines or '').name}"
        count = sum(each.count for each in self.nodes)
        processors = sum(each.count * each.processors for each in self.nodes)
        return f"{processors:,} processors on {count:,} node{'s' if count != 1 else ''}"

    @property
    def changes_text(self) -> str:
        """What changes on the machine, in words; empty if nothing does. A file of events is named, not read."""
        if self.changes is None:
            return ""
        events = self.changes.get(EVENTS, NONE)
        named = [] if events == NONE else [f"the events of {events}"]
        others = in_words(self._changes_given(self.changes), seeds=False)
        return ", ".join([*named, *([others] if others != NOTHING or not named else [])])

    @staticmethod
    def _changes_given(table: dict[str, Any], processors: int | None = None) -> Changes:
        """The changes that a table describes, without its file; its dates may count from any day."""
        return changes_of({key: value for key, value in table.items() if key != EVENTS}, processors, Calendar(0.0))

    @field_validator("nodes")
    @classmethod
    def _clusters(cls, clusters: tuple[ClusterSection, ...] | None) -> tuple[ClusterSection, ...] | None:
        if clusters:
            Nodes([each.made() for each in clusters])
        return clusters

    @field_validator("changes")
    @classmethod
    def _changes(cls, table: dict[str, Any] | None) -> dict[str, Any] | None:
        if table:  # the file and the dates' origin are known when it runs
            cls._changes_given(table)
        return table

    @field_validator("power", "charge", "budget")
    @classmethod
    def _priced(cls, table: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any] | None:
        if table is not None:
            read(PRICED[str(info.field_name)], table, f"machine.{info.field_name}")
        return table

    @field_validator("signals")
    @classmethod
    def _signals(cls, tables: dict[str, dict[str, Any]] | None) -> dict[str, dict[str, Any]] | None:
        for name, table in (tables or {}).items():
            read(SignalFile, table, f"the signal {quoted(name)}")
        return tables

    def wanted(self, policy: Policy | None = None, **others: Any) -> Wanted:
        """What the table of impossible combinations checks."""
        site, spent = None if self.site is None else ANY_SITE, (self.budget or {}).get("spent", "hold")
        given: dict[str, Any] = {"site": site, "budget": spent if self.budget else ""} | others
        return Wanted(policy, self.overrun, self.estimates, self.of_nodes, self.changes is not None, **given)

    def model_post_init(self, context: Any, /) -> None:
        """Check the estimates, and that the keys can be combined."""
        if not is_script(self.estimates):  # which is looked for when it is known where
            guess_from(self.estimates)
        refuse(self.wanted())
        if self.changes and self.processors is not None and not self.of_nodes:
            self._changes_given(self.changes, self.processors)
        if not self.of_nodes:
            if self.allocator is not None:
                raise ValueError('has an allocator, but no nodes: give machines = "FILE.machines" or [[machine.nodes]]')
            return
        if len(several := [each for each in ("site", "machines", "nodes") if getattr(self, each) is not None]) > 1:
            raise ValueError(f"has both {' and '.join(several)}; give one description of the nodes")
        if self.processors is not None:
            raise ValueError("has both processors and nodes; leave out processors, since the nodes have them")


def known(policy: str) -> Policy | None:
    """A policy of the package; None for one of the user's own, or of a site, which is not read yet."""
    if is_own(policy):
        settings_in(policy)
        return None
    return None if ".py" in policy else from_spec(policy)


def maintained(policy: str) -> bool:
    """Whether a policy brings maintenance windows with it."""
    return is_own(policy) and any(path == MAINTENANCE for path, _ in settings_in(policy))


def may_interrupt(machine: MachineSection, policies: tuple[str, ...]) -> bool:
    """Whether jobs may be interrupted: the machine changes, or a policy of the package preempts them."""
    return any(machine.wanted(known(policy)).interrupts for policy in policies) or any(map(maintained, policies))


def refuse_policies(machine: MachineSection, policies: tuple[str, ...], **others: bool) -> None:
    """Raise ``ValueError`` for the first policy that cannot be combined with the machine or ``others``."""
    for policy in policies:
        if is_own(policy) and machine.site is None:
            raise ValueError(f"policy {quoted(policy)} is the scheduler of a configured site: give machine.site")
        wanted = machine.wanted(known(policy), **others)
        refuse(wanted._replace(changing=wanted.changing or maintained(policy)))
