"""Nodes out of NodeName lines, or of `scontrol -o show node`.

``NodeName=DEFAULT`` holds for the lines below it only. Nodes that are alike and stand side by side become a cluster;
they keep their names. Memory is in MB there, in bytes here.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from thinktime.models.site import effects
from thinktime.models.site.slurm.conf_lines import Line
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.values import MB, absent, at, whole, words
from thinktime.models.site.tres import resource_of
from thinktime.workloads.host_lists import compress, expand
from thinktime.workloads.names import quoted
from thinktime.workloads.nodes import MEMORY, PROCESSORS, Cluster, Nodes

Kind = tuple[tuple[tuple[str, int], ...], frozenset[str]]
"""What makes nodes alike: resources and properties."""

ONE = "Weight", "ThreadsPerCore"
"""Settings of which 1 is the default."""
READ = (
    "nodename", "boards", "corespersocket", "cpus", "feature", "features", "gres", "procs", "realmemory", "sockets",
    "socketsperboard", "state",
)  # fmt: skip
"""Keys that are read; others stand in `thinktime.models.site.effects`."""
AWAY = ("FUTURE", "DOWN", "DRAIN", "FAIL", "FAILING")
_GRES = re.compile(r"([^:()]+)(?::([^:()]*[^:()\d][^:()]*))?(?::(\d+)([KMGT]?))?(\(.*\))?", re.IGNORECASE)


def of_conf(lines: Iterable[Line], notes: Notes) -> tuple[Nodes | None, dict[str, tuple[str, ...]]]:
    """The nodes of NodeName lines (None if there are none), and the sets of NodeSet lines by their names."""
    defaults: dict[str, str] = {}
    found: dict[str, Kind] = {}
    sets: dict[str, tuple[str, ...]] = {}
    features: dict[str, str] = {}
    for line in lines:
        if line.first == "nodename" and line.pairs["nodename"].upper() == "DEFAULT":
            defaults |= line.pairs
        elif line.first == "nodename":
            found |= _nodes(line.where, defaults | line.pairs, notes)
        elif line.first == "nodeset":
            sets[line.pairs["nodeset"]] = _named(line.where, line.pairs.get("nodes", ""))
            features[line.pairs["nodeset"]] = line.pairs.get("feature", "")
        elif line.first == "downnodes":
            notes.add(line.where, f"DownNodes={line.pairs['downnodes']}: nodes that are down are taken as up")
    for name, feature in features.items():
        own = [node for node, (_, properties) in found.items() if feature in properties]
        sets[name] = tuple(dict.fromkeys([*sets[name], *own]))
    return (_clusters(found) if found else None), sets


def of_records(lines: Iterable[Line], notes: Notes) -> Nodes:
    """The nodes of `scontrol -o show node`; those that are down at the time are taken as up."""
    found: dict[str, Kind] = {}
    for line in lines:
        if "nodename" not in line.pairs:
            raise ValueError(f"{line.where}: this is no output of 'scontrol -o show node'")
        pairs = dict(line.pairs)
        if pairs.get("availablefeatures"):
            pairs["feature"] = pairs["availablefeatures"]
        if "cputot" in pairs:
            pairs["cpus"] = pairs["cputot"]
        state = pairs.pop("state", "")
        if "FUTURE" in state:
            notes.add(line.where, f"node {pairs['nodename']} is FUTURE, so it is left out")
            continue
        if re.search("DOWN|DRAIN|FAIL", state):
            notes.add(line.where, f"node {pairs['nodename']} was {state} and is taken as up")
        found |= _nodes(line.where, pairs, notes)
    if not found:
        raise ValueError("there is no node in the output of 'scontrol -o show node'")
    return _clusters(found)


def _nodes(where: str, pairs: dict[str, str], notes: Notes) -> Iterator[tuple[str, Kind]]:
    state = re.sub(r"[^A-Z].*", "", pairs.get("state", "UNKNOWN").upper())
    if state in AWAY:
        notes.add(where, f"NodeName={pairs['nodename']}: the state is {state}, so these nodes are left out")
        return
    for key, reason in effects.NODES.items():
        value = pairs.get(key.lower(), "")
        if not absent(value) and value not in ("0", "1" if key in ONE else "0"):
            notes.refuse(where, f"{key}={value}", reason)
    types = list[str]()
    kind = tuple(_resources(where, pairs, types, notes).items()), frozenset([*_features(pairs), *types])
    for name in _named(where, pairs["nodename"]):
        yield name, kind


def _features(pairs: dict[str, str]) -> Iterator[str]:
    text = pairs.get("feature", pairs.get("features", ""))
    return (word for word in words(text) if not absent(word))


def _resources(where: str, pairs: dict[str, str], types: list[str], notes: Notes) -> dict[str, int]:
    """What each node has; the types of its generic resources, such as a100, are added to ``types``."""
    found = {PROCESSORS: at(where, "CPUs", _processors, pairs)}
    if "realmemory" in pairs:
        found[MEMORY] = MB * at(where, "RealMemory", lambda each: whole(each["realmemory"]), pairs)
    for item in re.split(r",(?![^(]*\))", pairs.get("gres", "")):
        if absent(item):
            continue
        match = _GRES.fullmatch(item.strip())
        if not match:
            raise ValueError(f"{where}: Gres={quoted(item)} is not understood; it should look like gpu:a100:4")
        name = resource_of(f"gres/{match[1].lower()}")
        count = int(match[3] or 1) * 1024 ** " KMGT".index((match[4] or " ").upper())
        if match[2] and match[2] not in types:
            types.append(match[2])
        if name in found and match[2]:
            notes.refuse(where, f"Gres={item.strip()}", f"kinds of {match[1].lower()} are not told apart")
        found[name] = found.get(name, 0) + count
    return found


def _processors(pairs: dict[str, str]) -> int:
    """CPUs as given, else the product of boards, sockets, cores and threads."""
    given = pairs.get("cpus", pairs.get("procs"))
    if given is not None:
        return whole(given)
    sockets = whole(pairs.get("sockets", pairs.get("socketsperboard", "1"))) * whole(pairs.get("boards", "1"))
    return sockets * whole(pairs.get("corespersocket", "1")) * whole(pairs.get("threadspercore", "1"))


def _clusters(found: dict[str, Kind]) -> Nodes:
    """Nodes that are alike and side by side, as a cluster called after the beginning of their names."""
    clusters: list[Cluster] = []
    taken: set[str] = set()
    for (resources, properties), group in groupby(found, key=lambda name: found[name]):
        names = tuple(group)
        prefix = names[0].rstrip("0123456789") or names[0]
        called = prefix if prefix not in taken else compress(names)
        taken.add(called)
        numbered = names == tuple(f"{called}{k + 1}" for k in range(len(names)))
        clusters.append(Cluster(called, len(names), dict(resources), properties, () if numbered else names))
    return Nodes(clusters)


def _named(where: str, text: str) -> tuple[str, ...]:
    return at(where, "the list of nodes", expand, text)
