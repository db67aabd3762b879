"""The machine of a data set: the kinds of nodes of its mapping, or those of a list of machines beside its files."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from thinktime.workloads.names import quoted, shortened
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.tables.mapping import MachineList, MachineRule, Mapping
from thinktime.workloads.text_files import text_of


class Machine(NamedTuple):
    """Kinds of nodes, and whether they come from a list, or from the first of several machines as a guess."""

    kinds: list[MachineRule]
    listed: bool = False
    guessed: bool = False

    @property
    def nodes(self) -> Nodes | None:
        """The machine of nodes, if the set has one."""
        return Nodes([each.cluster for each in self.kinds]) if self.kinds else None


def machine_at(how: Mapping, path: str | Path) -> Machine:
    """The machine whose jobs are in this file or folder; a set of several machines has a word of the path for each."""
    if how.machine_list is not None and (file := _beside(how.machine_list, Path(path))) is not None:
        return Machine(_listed(how.machine_list, file), listed=True)
    with_paths = [each for each in how.machine if each.path]
    if not with_paths:
        return Machine(how.machine)
    found = [each for each in with_paths if each.path.lower() in str(path).lower()]
    return Machine(found) if found else Machine(with_paths[:1], guessed=True)


def _beside(rule: MachineList, path: Path) -> Path | None:
    folder = path if path.is_dir() else path.parent
    return next((each for each in sorted(folder.glob(rule.file)) if each.is_file()), None)


def _listed(rule: MachineList, file: Path) -> list[MachineRule]:
    """Equal machines of a list are a kind; it has the name of its model, and a number if there are several."""
    count = Counter(_machines(rule, file))
    if not count:
        raise ValueError(f"{shortened(file)} lists no machines")
    names: Counter[str] = Counter()
    kinds = []
    for (kind, cores, gpus, memory), nodes in sorted(count.items(), key=lambda each: (-each[1], each[0])):
        names[kind] += 1
        name = f"{kind}-{names[kind]}" if names[kind] > 1 else kind
        own = {rule.resource: gpus} if rule.resource else {}
        given = {"gpus": 0 if rule.resource else gpus, "resources": own, "properties": [kind]}
        kinds.append(
            MachineRule.model_validate({"name": name, "nodes": nodes, "cores": cores, "memory_gb": memory, **given})
        )
    return kinds


def _machines(rule: MachineList, file: Path) -> Iterator[tuple[str, int, int, float]]:
    lines = csv.reader(text_of(file).splitlines(), skipinitialspace=True)
    names = rule.names or [each.strip() for each in next(lines, [])]
    wanted = (rule.kind, rule.cores, rule.gpus, rule.memory)
    if lacking := [each for each in wanted if each and each not in names]:
        raise ValueError(f"{shortened(file)} lacks the column {quoted(lacking[0])} of a list of machines")
    places = [names.index(each) if each else None for each in wanted]
    for number, row in enumerate(lines, start=2 - bool(rule.names)):
        try:
            kind, cores, gpus, memory = ("" if place is None else row[place].strip() for place in places)
            sizes = (
                float(cores) * rule.cores_factor,
                float(gpus or 0) * rule.gpus_factor,
                float(memory or 0) * rule.memory_gb,
            )
            yield (kind.lower() or "cpu") if rule.kind else "node", max(int(sizes[0]), 1), int(sizes[1]), sizes[2]
        except (ValueError, IndexError):
            raise ValueError(f"{shortened(file)}, line {number}: {quoted(','.join(row))} is no machine") from None
