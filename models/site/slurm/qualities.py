"""QOS out of `sacctmgr -P show qos`, or out of `sacctmgr dump`, which has them from Slurm 25.05 on."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from thinktime.models.site import effects
from thinktime.models.site.preemption import MODES
from thinktime.models.site.qos import FLAGS, QOS
from thinktime.models.site.slurm import dump, limits
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.psv import table, unused
from thinktime.models.site.slurm.values import ANY_PRIORITY, Read, at, clock, names, number, plain_seconds, whole, words

COMMAND = "sacctmgr -P show qos"
COMMON = (
    "name", "priority", "gracetime", "preempt", "preemptexempttime", "preemptmode", "flags", "usagefactor", "id",
    "descr", "description",
)  # fmt: skip


RELATIVE = "relative"
"""The flag of QOS whose limits are percentages."""
INTERNAL = ("deleted", "partqos")
"""Flags that Slurm keeps for itself."""


class Found(NamedTuple):
    """The QOS of a file, and the names of those whose limits are percentages."""

    qos: tuple[QOS, ...]
    relative: frozenset[str]


def of_table(path: Path, notes: Notes) -> Found:
    """The QOS of a table, in its order."""
    rows = table(path, ("name",), COMMAND)
    unused(rows, (*limits.OF_QOS, *COMMON), notes)
    return _found([(row.where, row["name"], {key: row[key] for key in row.cells}) for row in rows], clock, notes)


def of_dump(path: Path, notes: Notes) -> Found:
    """The QOS of a dump; none before Slurm 25.05."""
    lines = [line for line in dump.dumped(path) if line.kind == "QOS"]
    for line in lines:
        dump.unused(line, (*limits.OF_QOS, *COMMON), notes)
    return _found([(line.where, line.name, line.cells) for line in lines], plain_seconds, notes)


def _found(lines: list[tuple[str, str, Mapping[str, str]]], seconds: Read, notes: Notes) -> Found:
    """The QOS of lines: where, the name, and the cells, in which some times are read by ``seconds``."""
    relative = frozenset(name for _, name, cells in lines if RELATIVE in names(cells.get("flags", "")))
    return Found(tuple(_quality(*line, seconds, notes) for line in lines), relative)


def _quality(where: str, name: str, cells: Mapping[str, str], seconds: Read, notes: Notes) -> QOS:
    def given(key: str) -> str:
        return cells.get(key, "").strip()

    return QOS(
        name,
        at(where, "Priority", whole, given("priority") or "0"),
        names(given("preempt")),
        _mode(where, name, given("preemptmode"), notes),
        at(where, "GraceTime", seconds, given("gracetime")) or 0.0,
        at(where, "PreemptExemptTime", seconds, given("preemptexempttime")) if given("preemptexempttime") else None,
        frozenset(_flags(where, name, given("flags"), notes)),
        at(where, "UsageFactor", number, given("usagefactor") or "1"),
        limits.of_cells(where, cells, limits.OF_QOS),
    )


def _mode(where: str, name: str, text: str, notes: Notes) -> str | None:
    if "priority" in names(text):
        notes.refuse(where, f"QOS {name} PreemptMode={text}", ANY_PRIORITY)
    return next((mode for mode in names(text) if mode in MODES), None)


def _flags(where: str, name: str, text: str, notes: Notes) -> Iterator[str]:
    known = {flag.lower(): flag for flag in FLAGS}
    not_modelled = {flag.lower(): flag for flag in effects.QOS_FLAGS}
    for flag in words(text):
        if flag.lower() in known:
            yield known[flag.lower()]
        elif flag.lower() in not_modelled:
            refused = not_modelled[flag.lower()]
            notes.refuse(where, f"QOS {name} flag {refused}", effects.QOS_FLAGS[refused])
        elif flag.lower() not in (RELATIVE, *INTERNAL):
            notes.add(where, f"QOS {name}: the flag {flag} is not known")
