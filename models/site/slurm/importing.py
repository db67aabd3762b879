"""A site out of Slurm's files: the configuration, and what the accounting knows of accounts, QOS and usage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from thinktime.models.site.accounts import AccountTree
from thinktime.models.site.backfill import Backfill
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preempting import pauses_in_place
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.slurm import associations, nodes, partitions, qualities, settings, shares
from thinktime.models.site.slurm.conf_lines import conf_lines, records
from thinktime.models.site.slurm.dump import is_dump
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.relative import absolute
from thinktime.models.site.slurm.values import at
from thinktime.models.site.time_limits import TimeLimits
from thinktime.workloads.nodes import Nodes

T = TypeVar("T")
PAUSES = (
    "jobs would be suspended for others of the same tier; Slurm lets these take turns on the same processors, or run "
    "there at once, so the policy slurm refuses this site until the preemptors' partition has a higher tier"
)


@dataclass(frozen=True, slots=True)
class SlurmFiles:
    """The files of a site.

    ``conf`` are slurm.conf and, if there is one, the output of `scontrol show config`, which has the defaults too; a
    setting of a later file counts. ``associations`` is the output of `sacctmgr dump` or `sacctmgr -P show assoc tree`,
    ``qos`` of `sacctmgr -P show qos` (dumps of Slurm 25.05 and later have QOS, too), ``partitions`` of
    `scontrol -o show partition`, ``nodes`` of `scontrol -o show node`, and ``usage`` of `sshare -a -l -P`.
    """

    conf: Sequence[Path]
    associations: Path | None = None
    qos: Path | None = None
    partitions: Path | None = None
    nodes: Path | None = None
    usage: Path | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """A site, and what could not be used of its files."""

    site: Site
    notes: Notes
    passed_over: tuple[str, ...]
    """The settings of slurm.conf that have nothing to do with schedules, as they are written there."""


def import_site(files: SlurmFiles) -> Imported:
    """The site that the files describe; a ``ValueError`` names the file and the line that is wrong."""
    notes = Notes()
    lines = [line for path in files.conf for line in conf_lines(path)]
    found = settings.of_lines(lines, notes)
    machine, sets = nodes.of_conf(lines, notes)
    if files.nodes is not None:
        machine = nodes.of_records(records(files.nodes), notes)
    if machine is None:
        raise ValueError(
            f"{files.conf[0]} has no NodeName lines; add slurm.conf, or what 'scontrol -o show node' prints"
        )
    own = records(files.partitions) if files.partitions is not None else lines
    parts = partitions.of_lines(own, machine.names, sets, found.whole_nodes, notes)
    if not parts:
        raise ValueError(f"{files.partitions or files.conf[0]} has no partitions")
    tree = AccountTree()
    if files.associations is not None:
        tree = at(str(files.associations), "associations", _tree(found.site.get("name"), notes), files.associations)
        tree = _of_partitions(tree, {each.name for each in parts}, notes)
    given = _qualities(files, machine, parts, notes)
    fields = {
        "nodes": machine,
        "partitions": parts,
        "qos": _with_named(given, parts, tree, notes),
        "accounts": tree,
        "priority": _made(files, PriorityRules, found.priority),
        "backfill": _made(files, Backfill, found.backfill),
        "preemption": _made(files, Preemption, found.preemption),
        "time_limits": _made(files, TimeLimits, found.time_limits),
        "usage": shares.read(files.usage, tree, notes) if files.usage is not None else (),
    }
    site = _made(files, Site, found.site | fields)
    if pauses_in_place(site):
        where = next((line.where for line in reversed(lines) if "preemptmode" in line.pairs), str(files.conf[0]))
        notes.add(where, PAUSES)
    site = replace(site, not_modelled=tuple(notes.not_modelled))
    return Imported(site, notes, tuple(found.passed_over))


def _qualities(files: SlurmFiles, machine: Nodes, parts: tuple[Partition, ...], notes: Notes) -> tuple[QOS, ...]:
    """The QOS of their table, else of the dump; percentages are those of the machine."""
    found = qualities.Found((), frozenset())
    if files.qos is not None:
        found = qualities.of_table(files.qos, notes)
    elif files.associations is not None and is_dump(files.associations):
        found = qualities.of_dump(files.associations, notes)
    given = (absolute(each, machine, parts, notes) if each.name in found.relative else each for each in found.qos)
    return tuple(given) or (QOS("normal"),)


def _tree(cluster: str | None, notes: Notes) -> Callable[[Path], AccountTree]:
    return lambda path: associations.read(path, cluster, notes)


def _made(files: SlurmFiles, kind: type[T], fields: dict[str, Any]) -> T:
    return at(str(files.conf[0]), "the settings", lambda given: kind(**given), fields)


def _of_partitions(tree: AccountTree, known: set[str], notes: Notes) -> AccountTree:
    """The tree without associations in partitions that are no more."""
    for each in tree:
        if each.partition is not None and each.partition not in known:
            notes.add(str(each), "it is left out, since there is no such partition")
    return AccountTree([each for each in tree if each.partition is None or each.partition in known])


def _with_named(
    given: tuple[QOS, ...], parts: tuple[Partition, ...], tree: AccountTree, notes: Notes
) -> tuple[QOS, ...]:
    """The QOS, and those that only have a name because nothing says what they are."""
    named = [name for each in given for name in each.preempts]
    named += [name for each in tree for name in (*(each.qos or ()), each.default_qos) if name]
    named += [name for each in parts for name in (*(each.allow_qos or ()), *each.deny_qos, each.qos) if name]
    known = {each.name for each in given}
    missing = [name for name in dict.fromkeys(named) if name not in known]
    for name in missing:
        notes.add(f"QOS {name}", "nothing says what it is (sacctmgr -P show qos), so it has no limits and priority 0")
    return (*given, *(QOS(name) for name in missing))
