"""The description of a machine as a value: its size, its policy and its rules.

    spec = MachineSpec(processors=128, policy="easy:order=lxf", overrun="extend")
    machine = spec.open(simpy.Environment())

A `MachineSpec` can be printed, compared, hashed (if its policy can), passed on, changed with `dataclasses.replace`, and
written to TOML and read back.
"""

import functools
import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict, TypeVar

import simpy

from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.changing.tables import changes_of, table_of
from thinktime.models.machine.combinations import refuse
from thinktime.models.machine.machine import Machine
from thinktime.models.machine.power import Power
from thinktime.models.machine.state import MachineState
from thinktime.models.machine.wanted import Wanted, shrinks_in
from thinktime.models.policies import as_policy
from thinktime.models.site.budget import Budget
from thinktime.models.site.charge import Charge
from thinktime.models.site.site import Site
from thinktime.workloads.names import explain_arguments, key_of, quoted, shortened
from thinktime.workloads.nodes import MEMORY, NODES, Nodes
from thinktime.workloads.reading.table import form_of, read, read_value
from thinktime.workloads.reading.texts import tables_in
from thinktime.workloads.toml import as_toml
from thinktime.workloads.trace import Trace

S = TypeVar("S")


class MachineOptions(TypedDict, total=False):
    """The fields of a `MachineSpec` other than its size and its policy, as keyword arguments."""

    overrun: str
    estimates: Any
    nodes: Nodes | None
    allocator: Any
    reasons: bool
    changes: Changes | None
    site: Site | str | os.PathLike[str] | None
    power: Power | None
    signals: Mapping[str, Any] | None
    charge: Charge | None
    budget: Budget | None
    begin: MachineState | str | os.PathLike[str] | None


def _read(begin: str | os.PathLike[str]) -> MachineState:
    try:
        return MachineState.read(begin)
    except OSError as error:
        raise ValueError(f"begin = {shortened(str(begin), 60)} cannot be read: {error.strerror}") from error


def _as_in_state(cls: type[S]) -> type[S]:
    """Decorate the class so that with ``begin``, fields that are not given are those of the state."""
    plain: Any = cls.__init__
    names = [name for name in inspect.signature(plain).parameters if name != "self"]

    @functools.wraps(plain)
    def made(self: Any, *args: Any, **given: Any) -> None:
        given |= zip(names, args, strict=False)
        if (begin := given.get("begin")) is not None:
            if isinstance(begin, str | os.PathLike):
                begin = given["begin"] = _read(begin)
            elif not isinstance(begin, MachineState):
                raise TypeError(
                    f"begin must be a state, such as machine.state() gives, or the file of one, not {quoted(begin)}"
                )
            given = begin.fields | given
            if given["processors"] is None:
                given["processors"] = begin.fields["processors"]
        plain(self, **given)

    setattr(cls, "__init__", made)  # noqa: B010
    return cls


@explain_arguments
@_as_in_state
@dataclass(frozen=True)
class MachineSpec:
    """A machine of ``processors``, or of ``nodes``, under a policy.

    ``policy`` is a policy, its text or a function ``select(view, now)``. ``overrun`` says what happens to a job that
    outlives its estimate: ``kill``, ``extend`` or ``until_needed``. ``estimates`` are what the policy plans with
    (`thinktime.models.jobs.estimates`): a text, or an estimator. ``allocator`` chooses among the nodes that fit
    (`thinktime.models.jobs.node_states`). With ``reasons``, a result says in a column ``reason`` why each job last did
    not start (`thinktime.models.state.Reason`). ``changes`` are windows, outages, and what becomes of interrupted jobs.
    ``site``, or the name of its file, is what the order `multifactor` goes by: accounts, partitions, QOS and weights.
    ``power`` is what the machine draws, and a cap on it. ``signals`` are prices, carbon and tariffs by name, or
    forecasts of them (`thinktime.workloads.signals`); one that ends ends the run. ``charge`` is what jobs are charged
    (`thinktime.models.site.charge`), within a ``budget`` (`thinktime.models.site.budget`).
    With ``begin``, the machine goes on from a state (`MachineState`), or the file of one; fields that are not given are
    those of the state.
    Without ``processors`` or ``nodes``, the size is taken from a log (`sized`).

    >>> import thinktime as tt
    >>> log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "allocated": [2, 1]})
    >>> spec = tt.MachineSpec(processors=2, policy="easy:order=sjf")
    >>> tt.run(spec, tt.sources.log(log))["start"].tolist()
    [0.0, 10.0]
    """

    processors: int | None = None
    policy: Any = "easy"
    overrun: str = "kill"
    estimates: Any = "requested"
    nodes: Nodes | None = None
    allocator: Any = "first-fit"
    reasons: bool = False
    changes: Changes | None = None
    site: Site | str | os.PathLike[str] | None = None
    power: Power | None = None
    signals: Mapping[str, Any] | None = None
    charge: Charge | None = None
    budget: Budget | None = None
    begin: Any = None

    @classmethod
    def of_site(cls, site: Site) -> "MachineSpec":
        """The nodes of a site under Slurm's scheduler with the site's options, and by its priorities.

        Nodes are chosen in consecutive runs, unless the site says otherwise, and have memory only where jobs are given
        it.
        """
        nodes = site.nodes
        if not site.memory:
            without = [{name: n for name, n in each.resources.items() if name != MEMORY} for each in nodes.clusters]
            pairs = zip(nodes.clusters, without, strict=True)
            nodes = Nodes([replace(cluster, resources=amounts) for cluster, amounts in pairs])
        tree = site.accounting and site.accounts.users
        policy = (site.backfill if tree else replace(site.backfill, max_job_assoc=0)).rule
        if site.priority.type == "multifactor":
            policy += f"{',' if ':' in policy else ':'}order=multifactor"
        serial = "serial-last" if site.serial_at_end else "consecutive"
        return cls(policy=policy, nodes=nodes, allocator="worst-fit" if site.least_loaded else serial, site=site)

    def open(self, env: simpy.Environment) -> Machine:
        """Make the machine; ``ValueError`` if its fields are incompatible."""
        return Machine(env, **self._given, begin=self.begin)

    @property
    def _given(self) -> dict[str, Any]:
        """What a machine is made of."""
        given = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "begin"}
        return given | {"site": self.known_site}

    @property
    def known_site(self) -> Site | None:
        """The site, read from its file if that is what is given."""
        return Site.read(self.site) if isinstance(self.site, str | os.PathLike) else self.site

    def under(self, policy: Any) -> "MachineSpec":
        """The same machine under another policy."""
        return replace(self, policy=policy)

    def sized(self, trace: Trace | None) -> "MachineSpec":
        """With the size from a log's header unless one is given; ``ValueError`` if neither has it."""
        if self.nodes is not None or self.processors is not None:
            return self
        if trace is None:
            raise ValueError("a machine needs processors or nodes; write MachineSpec(processors=64)")
        return replace(self, processors=size_of(trace))

    def wanted(self, **others: Any) -> Wanted:
        """What the table of impossible combinations checks; ``others`` are further wishes."""
        policy, nodes = as_policy(self.policy), self.nodes is not None
        given: dict[str, Any] = {
            "site": self.known_site,
            "differs": "" if self.begin is None else self.begin.differs(self._given),
            "budget": "" if self.budget is None else self.budget.spent,
            "shrinks": shrinks_in(self.changes),
        } | others
        return Wanted(policy, self.overrun, self.estimates, nodes, self.changes is not None, **given)

    def check(self, **others: Any) -> None:
        """``ValueError`` if the fields of the machine, or ``others`` with them, cannot be combined."""
        refuse(self.wanted(**others))
        if self.changes is not None and (machine := self.nodes.numbers if self.nodes else self.processors) is not None:
            self.changes.check(machine)

    def to_toml(self) -> str:
        """The machine in TOML, without defaults; ``ValueError`` if the policy or the allocator is not text."""
        table: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default or field.name == "policy":
                table[field.name] = _plain(field.name, value)
        return "".join(f"{name} = {as_toml(value)}\n" for name, value in table.items())

    @classmethod
    def from_toml(cls, text: str) -> "MachineSpec":
        """The machine that a TOML text describes, as written by `to_toml`."""
        table = tables_in(text, "the machine is not in TOML")
        known = [field.name for field in fields(cls)]
        for key in table:
            if key not in known:
                raise ValueError(f"a machine has no key {quoted(key)}; {key_of(key, known, 'its keys')}")
        if "nodes" in table:
            table["nodes"] = read_value(NODES, table["nodes"])
        if "charge" in table:
            table["charge"] = read(Charge, table["charge"], "a charge")
        if "budget" in table:
            table["budget"] = read(Budget, table["budget"], "a budget")
        if "changes" in table:
            machine = table["nodes"].numbers if "nodes" in table else table.get("processors")
            table["changes"] = changes_of(table["changes"], machine)
        if "power" in table:
            table["power"] = form_of(Power).read(table["power"])
        return cls(**table)


def size_of(trace: Trace, processors: int | None = None) -> int:
    """The size of the machine for a log: as given, otherwise from the log's header."""
    size = processors if processors is not None else trace.machine_size
    if size is None:
        raise ValueError(
            "the log's header gives no machine size (MaxProcs or MaxNodes); say how many processors there are"
        )
    return size


def spec_of(policy: Any, processors: int | None, options: Mapping[str, Any]) -> MachineSpec:
    """The machine that the arguments describe, with `MachineOptions`; ``policy`` may be a whole `MachineSpec`."""
    if not isinstance(policy, MachineSpec):
        return MachineSpec(processors, policy, **options)
    if processors is not None or options:
        raise TypeError("a MachineSpec says everything about the machine; change it with dataclasses.replace")
    return policy


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Nodes):
        return NODES.write(value)
    if isinstance(value, Changes):
        return table_of(value)
    if isinstance(value, Power | Charge | Budget):
        return form_of(type(value)).table(value)
    if (name == "policy" and not callable(value)) or isinstance(value, os.PathLike):
        return str(value)
    if isinstance(value, MachineState):
        if value.path is None:
            raise ValueError("begin is a state, which TOML cannot hold; save it, and give the file's name instead")
        return value.path
    if name == "signals":
        raise ValueError("signals are values, which TOML cannot hold; a scenario names their files")
    if isinstance(value, Site):
        raise ValueError("site is a value; write it to a file (Site.write), and give the file's name instead")
    if not isinstance(value, str | int):
        raise ValueError(f"{name} is {quoted(value)}, which TOML cannot hold; name it as FILE.py:NAME")
    return value
