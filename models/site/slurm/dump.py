"""Lines of `sacctmgr dump`: ``Account - 'physics':Fairshare=3:QOS='normal'``.

Values without a unit are minutes. From Slurm 25.05 on, QOS are in the dump, too.
"""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from thinktime.models.site import effects
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.psv import pairs
from thinktime.models.site.slurm.values import absent
from thinktime.workloads.names import quoted
from thinktime.workloads.text_files import text_of

_LINE = re.compile(r"(Cluster|Parent|Account|User|QOS) - '([^']*)'(?::(.*))?")


class Dumped(NamedTuple):
    """A line: where it is, what it is about (``Account``), the name, and the pairs behind it."""

    where: str
    kind: str
    name: str
    cells: dict[str, str]


def is_dump(path: Path) -> bool:
    """Whether a file is a dump, and not a table."""
    return any(_LINE.match(line) for line in text_of(path).splitlines())


def dumped(path: Path) -> Iterator[Dumped]:
    """The lines of a dump."""
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if not match:
            raise ValueError(
                f"{path}, line {number}: {quoted(line[:40])} is no line of a dump, such as Account - 'name':…"
            )
        yield Dumped(f"{path.name}, line {number}", match[1], match[2], dict(pairs(match[3] or "")))


def unused(line: Dumped, known: Collection[str], notes: Notes) -> None:
    """Note keys that are not known."""
    for key in line.cells:
        if key not in known:
            if reason := effects.reason("associations and QOS", key):
                if not absent(line.cells[key]):
                    notes.refuse(line.where, f"{key}={line.cells[key]}", reason)
            else:
                notes.add(line.where, f"{key} is not known")
