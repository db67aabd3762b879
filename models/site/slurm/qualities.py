"""QOS out of `sacctmgr -P show qos`."""

from pathlib import Path

from thinktime.models.site.preemption import MODES
from thinktime.models.site.qos import FLAGS, QOS
from thinktime.models.site.slurm import limits
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.psv import Row, table, unused
from thinktime.models.site.slurm.values import at, clock, names, number, whole, words

COMMAND = "sacctmgr -P show qos"
_COMMON = (
    "name", "priority", "gracetime", "preempt", "preemptexempttime", "preemptmode", "flags", "usagethres",
    "usagefactor", "limitfactor", "id", "descr", "description",
)  # fmt: skip


def read(path: Path, notes: Notes) -> tuple[QOS, ...]:
    """The QOS of a table, in its order."""
    rows = table(path, ("name",), COMMAND)
    unused(rows, (*limits.OF_QOS, *_COMMON), notes)
    return tuple(_quality(row, notes) for row in rows)


def _quality(row: Row, notes: Notes) -> QOS:
    flags = words(row["flags"])
    known = {flag.lower(): flag for flag in FLAGS}
    for flag in flags:
        if flag.lower() not in known:
            notes.add(row.where, f"QOS {row['name']}: the flag {flag} is not known")
    modes = [mode for mode in names(row["preemptmode"]) if mode in MODES]
    if row["limitfactor"] not in ("", "1.000000", "0.000000"):
        notes.add(row.where, f"QOS {row['name']}: LimitFactor={row['limitfactor']} does not change limits here")
    return QOS(
        row["name"],
        at(row.where, "Priority", whole, row["priority"] or "0"),
        names(row["preempt"]),
        modes[0] if modes else None,
        at(row.where, "GraceTime", clock, row["gracetime"]) or 0.0,
        at(row.where, "PreemptExemptTime", clock, row["preemptexempttime"]),
        frozenset(known[flag.lower()] for flag in flags if flag.lower() in known),
        at(row.where, "UsageFactor", number, row["usagefactor"] or "1"),
        at(row.where, "UsageThres", number, row["usagethres"]) if row["usagethres"] else None,
        limits.of_cells(row.where, row.cells, limits.OF_QOS),
    )
