"""The tree of accounts out of `sacctmgr dump`, or of `sacctmgr -P show assoc tree`.

In the table, blanks in front of an account say how deep it lies; a column ``Par Name``, or, from Slurm 23.11 on,
``Lineage`` (``/physics/theory/``), says it better. In the dump, values without a unit are minutes, QOS with a plus are
added to those of the account above, and a share of 2147483647 is that of the parent. Accounts are lower case whatever
was typed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from thinktime.models.site.accounts import PARENT, ROOT, AccountTree, Association
from thinktime.models.site.slurm import dump, limits
from thinktime.models.site.slurm.dump import Dumped, is_dump
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.psv import Row, table, unused
from thinktime.models.site.slurm.values import at, names, whole
from thinktime.workloads.names import shortened

PARENTS_SHARES = 2**31 - 1
COMMAND = "sacctmgr -P show assoc tree"
COMMON = ("cluster", "account", "user", "partition", "share", "fairshare", "priority", "qos", "defqos", "defaultqos")
_SILENT = ("parname", "parentname", "id", "lft", "rgt", "lineage", "comment", "flags", "isdef", "isdefault")
_DUMP_SILENT = ("description", "organization", "adminlevel", "coordinator", "defaultaccount", "defaultwckey", "wckeys")


def read(path: Path, cluster: str | None, notes: Notes) -> AccountTree:
    """The tree of a file, of either form; ``cluster`` chooses among several in a table."""
    return of_dump(path, notes) if is_dump(path) else of_table(path, cluster, notes)


def of_dump(path: Path, notes: Notes) -> AccountTree:
    """The tree that `sacctmgr dump CLUSTER file=…` wrote."""
    found: list[Association] = []
    qos: dict[str, tuple[str, ...] | None] = {}
    parent = ROOT
    for where, kind, name, cells in _dumped(path, notes):
        if kind == "Parent":
            parent = name.lower()
            continue
        account = {"Cluster": ROOT, "User": parent}.get(kind, name.lower())
        above = None if kind == "Cluster" else qos.get(parent)
        own = _added(cells["qos"], above) if "qos" in cells else above
        if kind != "User":
            qos[account] = own
        made = _association(where, account, name if kind == "User" else None, parent, cells)
        default = made.user is not None and cells.get("defaultaccount", "").lower() == account
        found.append(replace(made, qos=None if own == above else own, default=default))
    return AccountTree(found)


def of_table(path: Path, cluster: str | None, notes: Notes) -> AccountTree:
    """The tree that `sacctmgr -P show assoc tree` printed."""
    rows = _of_one_cluster(path, table(path, ("account", "user"), COMMAND), cluster)
    unused(rows, (*limits.OF_ASSOCIATIONS, *COMMON, *_SILENT), notes)
    parents = dict(_parents(path, rows))
    qos: dict[str, tuple[str, ...] | None] = {}
    found = []
    for row in rows:
        account, user = row["account"].lower(), row["user"] or None
        parent = account if user else parents[account]
        own = tuple(sorted(names(row["qos"]))) or None
        above = qos.get(parent) if parent else None
        if not user:
            qos[account] = own
        made = _association(row.where, account, user, parent, row.cells)
        default = row["isdef"].lower() in ("yes", "1", "true")
        found.append(replace(made, qos=None if own == above else own, default=default))
    return AccountTree(found)


def _association(
    where: str, account: str, user: str | None, parent: str | None, cells: Mapping[str, str]
) -> Association:
    """What both forms say alike."""
    given = {key: text.strip() for key, text in cells.items()}
    return Association(
        account,
        user,
        None if user or account == ROOT or parent == ROOT else parent,
        _shares(where, given.get("share") or given.get("fairshare") or "1"),
        at(where, "Priority", whole, given.get("priority") or "0"),
        default_qos=(given.get("defqos") or given.get("defaultqos", "")).lower() or None,
        partition=given.get("partition") or None,
        limits=limits.of_cells(where, given, limits.OF_ASSOCIATIONS),
    )


def _dumped(path: Path, notes: Notes) -> Iterator[Dumped]:
    """The lines of a dump that are about associations; keys that are not known are noted."""
    for line in dump.dumped(path):
        if line.kind != "QOS":
            dump.unused(line, (*limits.OF_ASSOCIATIONS, *COMMON, *_DUMP_SILENT), notes)
            yield line


def _of_one_cluster(path: Path, rows: list[Row], cluster: str | None) -> list[Row]:
    names = sorted({row["cluster"] for row in rows} - {""})
    if len(names) < 2:
        return rows
    if cluster not in names:
        raise ValueError(
            f"{path} has the clusters {', '.join(names)}, but not {shortened(cluster, 40)}; choose one when making it"
        )
    return [row for row in rows if row["cluster"] == cluster]


def _parents(path: Path, rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """The parent of each account: as its column says, else by the blanks in front."""
    accounts = [row for row in rows if not row["user"]]
    column = next((name for name in ("parname", "parentname") if any(name in row.cells for row in rows)), None)
    if column:
        yield from ((row["account"].lower(), row[column].lower() or None) for row in accounts)
        return
    if any(row["lineage"] for row in accounts):
        yield from ((row["account"].lower(), _above(row["lineage"])) for row in accounts)
        return
    if len(accounts) > 1 and not any(row.cells["account"].startswith(" ") for row in accounts):
        raise ValueError(f"{path}: no account is indented, so there is no tree; make it with '{COMMAND}'")
    above: list[tuple[int, str]] = []
    for row in accounts:
        name = row["account"].lower()
        depth = len(row.cells["account"]) - len(row.cells["account"].lstrip(" "))
        while above and above[-1][0] >= depth:
            above.pop()
        if not above and name != ROOT:
            raise ValueError(f"{row.where}: account {shortened(name, 40)} is below no other, but only root may be")
        yield name, above[-1][1] if above else None
        above.append((depth, name))


def _above(lineage: str) -> str | None:
    """The account above the last of a lineage; None for root, whose own is ``/``."""
    accounts = lineage.lower().strip("/").split("/")
    return None if accounts == [""] else accounts[-2] if len(accounts) > 1 else ROOT


def _added(text: str, above: tuple[str, ...] | None) -> tuple[str, ...]:
    """QOS as listed, or added to (``+``) and taken from (``-``) those above."""
    listed = names(text)
    if not any(word[0] in "+-" for word in listed):
        return tuple(sorted(listed))
    added = set(above or ()) | {word[1:] for word in listed if word[0] == "+"}
    return tuple(sorted(added - {word[1:] for word in listed if word[0] == "-"}))


def _shares(where: str, text: str) -> int | Literal["parent"]:
    if text.strip().lower() in ("parent", str(PARENTS_SHARES)):
        return PARENT
    return at(where, "Fairshare", whole, text)
